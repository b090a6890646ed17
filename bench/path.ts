// npm run bench -- path [ROUNDS]: the path of one step against JSON.parse of the same file, and the start of the program against an
// empty one; then loading a million events, and what comes behind it. Fresh processes, one at a time, in turn: what else the machine does
// meanwhile falls on both. Times of the first two are whole processes.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { makeInput, SIZES } from './kit/inputs.ts';
import { describeRun, measure as measureAll, printGoal, printMeasured } from './kit/measure.ts';

const TRACE = join(process.env['LONGPOLE_TRACES'] ?? '../shared/traces', 'diff/a100_eager.json.gz');
const STEP = '1010';
const ROUNDS = Number(process.argv[2] ?? 7);

const PARSE = `
  const { readFileSync } = require('node:fs');
  const { gunzipSync } = require('node:zlib');
  JSON.parse(gunzipSync(readFileSync(process.argv[1]), { chunkSize: 1 << 20 }).toString());
`;

/** A program that is measured: the arguments of `node`. */
interface Contender {
  readonly name: string;
  readonly args: readonly string[];
}

/** The first is held against the second. */
interface Duel {
  readonly question: string;
  readonly contenders: readonly [ours: Contender, theirs: Contender];
  /** The ratio of their medians should be less. */
  readonly goal: number;
  readonly goalBytes?: number;
}

interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly leastMs: number;
  /** Of all threads, in one run. */
  readonly cpuMs: number;
  readonly peakBytes: number;
}

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

function runOnce({ name, args }: Contender, options: readonly string[] = []): { ms: number; said: string } {
  const start = performance.now();
  const { status, output, error } = spawnSync(process.execPath, [...options, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const ms = performance.now() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return { ms, said: String(output[3]) };
}

/** A round that looks at memory and warms the page cache, then the rounds that count. */
function measure(contenders: readonly Contender[]): Measured[] {
  const usages = contenders.map((each): { cpuMs: number; peakBytes: number } =>
    JSON.parse(runOnce(each, ['--import', './bench/usage.mjs']).said),
  );
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) contenders.forEach((each, at) => times[at].push(runOnce(each).ms));
  return contenders.map(({ name }, at) => {
    const sorted = times[at].toSorted((a, b) => a - b);
    return { name, medianMs: sorted[(sorted.length - 1) >> 1], leastMs: sorted[0], ...usages[at] };
  });
}

function printDuel({ question, goal, goalBytes }: Duel, [ours, theirs]: readonly Measured[]): void {
  for (const { name, medianMs, leastMs, cpuMs, peakBytes } of [ours, theirs]) {
    printRow(
      question,
      name,
      [medianMs, leastMs, cpuMs].map((ms) => `${ms.toFixed(0)} ms`),
      megabytes(peakBytes),
    );
  }
  const ratios = (['medianMs', 'leastMs', 'cpuMs'] as const).map(
    (field) => `${(ours[field] / theirs[field]).toFixed(2)} ×`,
  );
  const goals = [`under ${goal} ×`, ...(goalBytes === undefined ? [] : [`under ${megabytes(goalBytes)}`])];
  printRow(question, 'ratio', ratios, '', `goal: ${goals.join(', ')}`);
}

function printRow(question: string, name: string, times: readonly string[], memory: string, rest = ''): void {
  const cells = [...times, memory].map((cell) => cell.padStart(9)).join('');
  console.log(`${question.padEnd(6)} ${name.padEnd(23)}${cells}   ${rest}`.trimEnd());
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

function revision(): string {
  const git = (...args: readonly string[]): string => String(spawnSync('git', args).stdout).trim();
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'src') === '' ? '' : '+');
}

function main(): void {
  if (!existsSync(TRACE)) {
    console.log(`skipped: needs ${TRACE}; set LONGPOLE_TRACES to the folder of public traces`);
    return;
  }
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--no-dts'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the build failed');
  const load = loadavg().map((each) => Number(each.toFixed(2)));
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? arch()}`;
  console.log(`${machine}; Node ${process.version}; load ${load.join(' ')}; ${ROUNDS} rounds`);
  printRow('', '', ['median', 'least', 'cpu'], 'peak');
  const results = DUELS.map((duel) => {
    const measured = measure(duel.contenders);
    printDuel(duel, measured);
    return { question: duel.question, goal: duel.goal, measured };
  });
  const run = {
    bench: 'path',
    at: new Date().toISOString(),
    revision: revision(),
    node: process.version,
    machine,
    load,
  };
  console.log(JSON.stringify({ ...run, rounds: ROUNDS, results }));
}

/** Recorded once of HTA, on a machine that parsed JSON in pieces at this speed: a trace of a million events loaded, and its path. */
const HTA_MS = 29_000 + 55_000;
const HTA_PARSE_BYTES_PER_MS = 165e3;

async function million(rounds: number): Promise<void> {
  const input = await makeInput('1M', SIZES['1M'] ?? {});
  const [path, parse] = measureAll(
    [
      { name: 'load, path and slack', args: ['bench/kit/load-one.mjs', 'path', input.packed] },
      { name: 'JSON.parse of 1 MiB pieces', args: ['bench/kit/load-one.mjs', 'parse', input.plain] },
    ],
    rounds,
  );
  if (path === undefined || parse === undefined) throw new Error('too few');
  console.log(`1M: ${megabytes(input.jsonBytes)}, ${input.events} events of ${input.source}`);
  printMeasured(path, input.jsonBytes);
  console.log(`  ${'graph, path and slack'.padEnd(26)}${`${path.restMs.toFixed(0)} ms`.padStart(11)}`);
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

main();
await million(Math.min(ROUNDS, 5));
