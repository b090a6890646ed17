// npm run bench -- path [ROUNDS]: the path of one step against JSON.parse of the same file, and the start of the program against an
// empty one; then loading a million events, and what comes behind it. Fresh processes, one at a time, in turn: what else the machine does
// meanwhile falls on both. Times of the first two are whole processes.
import { type Duel, runDuels, traceFile } from './duel.ts';
import { makeInput, SIZES } from './kit/inputs.ts';
import { describeRun, measure, megabytes, printGoal, printMeasured } from './kit/measure.ts';

const TRACE = traceFile('diff/a100_eager.json.gz');
const STEP = '1010';

const PARSE = `
  const { readFileSync } = require('node:fs');
  const { gunzipSync } = require('node:zlib');
  JSON.parse(gunzipSync(readFileSync(process.argv[1]), { chunkSize: 1 << 20 }).toString());
`;

const DUELS: readonly Duel[] = [
  {
    question: 'path',
    contenders: [
      { name: 'longpole critical-path', args: ['bin/longpole.js', 'critical-path', TRACE, '--step', STEP, '--json'] },
      { name: 'gunzip + JSON.parse', args: ['-e', PARSE, TRACE] },
    ],
    goal: 3,
    goalBytes: 400e6,
  },
  {
    question: 'start',
    contenders: [
      { name: 'longpole --help', args: ['bin/longpole.js', '--help'] },
      { name: 'node -e 0', args: ['-e', '0'] },
    ],
    goal: 3,
  },
];

/** Recorded once of HTA, on a machine that parsed JSON in pieces at this speed: a trace of a million events loaded, and its path. */
const HTA_MS = 29_000 + 55_000;
const HTA_PARSE_BYTES_PER_MS = 165e3;

async function million(rounds: number): Promise<void> {
  const input = await makeInput('1M', SIZES['1M'] ?? {});
  const [path, parse] = measure(
    [
      { name: 'load, path and slack', args: ['bench/kit/load-one.mjs', 'path', input.packed] },
      { name: 'JSON.parse of 1 MiB pieces', args: ['bench/kit/load-one.mjs', 'parse', input.plain] },
    ],
    rounds,
  );
  if (path === undefined || parse === undefined) throw new Error('too few');
  console.log(`1M: ${megabytes(input.jsonBytes)}, ${input.events} events of ${input.source}`);
  printMeasured(path, input.jsonBytes);
  const printRest = (what: string, ms: number): void =>
    console.log(`  ${what.padEnd(26)}${`${ms.toFixed(0)} ms`.padStart(11)}`);
  printRest('graph, path and slack', path.restMs);
  printRest('what shorter ops would win', path.leverageMs);
  printMeasured(parse, input.jsonBytes);
  const here = input.jsonBytes / parse.medianMs / HTA_PARSE_BYTES_PER_MS;
  const hta = HTA_MS / here / (path.medianMs + path.restMs);
  const rest = path.restMs / path.medianMs;
  const goals = [
    { goal: 'graph, path and slack of 1M events, of the time of loading', value: rest, best: rest, atMost: 1 },
    { goal: 'load and path of 1M events, against HTA (recorded, scaled)', value: hta, best: hta, atLeast: 40 },
  ];
  for (const goal of goals) printGoal(goal);
  console.log(JSON.stringify({ ...describeRun('path-1M'), events: input.events, measured: [path, parse], goals }));
}

runDuels('path', DUELS, [TRACE]);
await million(Math.min(Number(process.argv[2] ?? 5), 5));
