// npm run bench -- load [SIZE…] [ROUNDS]: how fast a trace is loaded into sealed columns, against what others have to do at least.
// SIZE: 100MB, 1GB, 1M or 5M (events); by default 100MB and 1GB.
import { makeInput, SIZES, type Input } from './kit/inputs.ts';
import {
  buildProgram,
  describeRun,
  measure,
  megabytes,
  printGoal,
  printMeasured,
  ratio,
  type Contender,
  type Goal,
  type Measured,
} from './kit/measure.ts';

const ONE = 'bench/kit/load-one.mjs';
const ONE_THREAD = { LONGPOLE_WORKERS: '1' };
const contendersOf = ({ plain, packed }: Input): readonly Contender[] => [
  { name: 'load .json.gz', args: [ONE, 'load', packed] },
  { name: 'inflate .json.gz alone', args: [ONE, 'inflate', packed] },
  { name: 'load .json, two threads', args: [ONE, 'load', plain] },
  { name: 'load .json, one thread', args: [ONE, 'load', plain], env: ONE_THREAD },
  { name: 'load .json, TypeScript', args: [ONE, 'load', plain], env: { ...ONE_THREAD, LONGPOLE_SCANNER: 'ts' } },
  { name: 'JSON.parse of 1 MiB pieces', args: [ONE, 'parse', plain] },
];

function goalsOf([packed, inflate, two, plain, ts, parse]: readonly Measured[], jsonBytes: number): Goal[] {
  if (packed === undefined || inflate === undefined || two === undefined) throw new Error('too few');
  if (plain === undefined || ts === undefined || parse === undefined) throw new Error('too few');
  const share = (each: Measured): number => each.peakBytes / jsonBytes;
  return [
    { goal: '.json.gz to columns, as a share of inflating it', ...ratio(packed, inflate), atLeast: 0.75 },
    { goal: '.json to columns, one thread, against JSON.parse in pieces', ...ratio(plain, parse), atLeast: 6 },
    { goal: '.json to columns, two threads against one', ...ratio(two, plain), atLeast: 1.8 },
    { goal: 'the TypeScript scanner, against JSON.parse in pieces', ...ratio(ts, parse), atLeast: 3 },
    { goal: 'peak memory of loading .json.gz, of its JSON', value: share(packed), best: share(packed), atMost: 0.6 },
    {
      goal: 'peak memory of loading .json, one thread, of its size',
      value: share(plain),
      best: share(plain),
      atMost: 0.6,
    },
    {
      goal: 'peak memory of loading .json, two threads, of its size',
      value: share(two),
      best: share(two),
      atMost: 0.6,
    },
  ];
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const rounds = Number(args.find((each) => /^\d+$/.test(each)) ?? 5);
  const wanted = args.filter((each) => each in SIZES);
  buildProgram();
  for (const name of wanted.length > 0 ? wanted : ['100MB', '1GB']) {
    const input = await makeInput(name, SIZES[name] ?? {});
    const run = { ...describeRun('load'), size: name, jsonBytes: input.jsonBytes, events: input.events, rounds };
    console.log(`${name}: ${megabytes(input.jsonBytes)}, ${input.events} events of ${input.source}; ${rounds} rounds`);
    console.log(`  ${'median, its speed, best speed, CPU, peak memory'.padStart(81)}`);
    const measured = measure(contendersOf(input), rounds);
    for (const each of measured) printMeasured(each, input.jsonBytes);
    const goals = goalsOf(measured, input.jsonBytes);
    for (const goal of goals) printGoal(goal);
    console.log(JSON.stringify({ ...run, measured, goals }));
  }
}

await main();
