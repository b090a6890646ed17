import { analysisCommand } from '../analysis-command.ts';
import { durationFlag, wholeNumberFlag } from '../args.ts';

export const run = analysisCommand('launches', {
  lists: ['apis', 'lanes', 'longCalls', 'longDelays', 'shortKernels', 'graphs', 'launches'],
  optionsOf: ({ minCall, minDelay, fullQueue, json }) => ({
    ...(minCall === undefined ? {} : { minCallNs: durationFlag('--min-call', minCall, '--min-call 50us') }),
    ...(minDelay === undefined ? {} : { minDelayNs: durationFlag('--min-delay', minDelay, '--min-delay 100us') }),
    ...(fullQueue === undefined ? {} : { fullQueue: wholeNumberFlag('--full-queue', fullQueue, '--full-queue 1024') }),
    ...(json === true ? { each: true } : {}),
  }),
});
