// npm run bench -- memory: what loading 6 GB of plain JSON with Python stacks takes at most, with all events and without the stacks.
// Needs 6 GB of room in the folder for temporary files; the file is removed behind it.
import { rmSync } from 'node:fs';
import { LARGEST, makePlainInput } from './kit/inputs.ts';
import { buildProgram, describeRun, measure, megabytes, printGoal, printMeasured } from './kit/measure.ts';

const ONE = 'bench/kit/load-one.mjs';

buildProgram();
const { plain, jsonBytes, events, source } = await makePlainInput('6GB', LARGEST);
try {
  console.log(`${megabytes(jsonBytes)}, ${events} events of ${source}`);
  const measured = measure(
    [
      { name: 'all events', args: [ONE, 'load', plain] },
      { name: 'without python_function', args: [ONE, 'load', plain], env: { BENCH_SKIP: 'python_function' } },
    ],
    3,
  );
  for (const each of measured) printMeasured(each, jsonBytes);
  const [all, skipped] = measured.map(({ peakBytes }) => peakBytes);
  const goals = [
    { goal: 'peak memory with all events, of the file', value: all / jsonBytes, best: all / jsonBytes, atMost: 0.6 },
    { goal: 'peak memory without the stacks, GB', value: skipped / 1e9, best: skipped / 1e9, atMost: 1.5 },
  ];
  for (const goal of goals) printGoal(goal);
  console.log(JSON.stringify({ ...describeRun('memory'), jsonBytes, events, measured, goals }));
} finally {
  rmSync(plain, { force: true });
}
