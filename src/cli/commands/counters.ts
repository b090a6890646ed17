import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('counters', {
  lists: ['queues', 'bandwidths', 'ownCounters', 'points'],
  optionsOf: ({ json }) => (json === true ? { points: true } : {}),
});
