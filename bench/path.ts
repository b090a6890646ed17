// npm run bench -- path [ITERATIONS]: the path of one step against JSON.parse of the same file, and the start of the program against
// an empty one. Fresh processes, one at a time, in turn: what else the machine does then falls on both. Times are whole processes.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';

const TRACE = join(process.env['LONGPOLE_TRACES'] ?? '../shared/traces', 'diff/a100_eager.json.gz');
const STEP = '1010';
const ITERATIONS = Number(process.argv[2] ?? 7);

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

interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly peakBytes: number;
}

/** The first is held against the second. */
interface Duel {
  readonly question: string;
  readonly contenders: readonly [Contender, Contender];
  readonly goal: number;
}

const DUELS: readonly Duel[] = [
  {
    question: 'path',
    contenders: [
      { name: 'longpole critical-path', args: ['bin/longpole.js', 'critical-path', TRACE, '--step', STEP, '--json'] },
      { name: 'gunzip + JSON.parse', args: ['-e', PARSE, TRACE] },
    ],
    goal: 3,
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
const MEMORY_GOAL_BYTES = 400e6;

function runOnce({ name, args }: Contender, nodeOptions: readonly string[] = []): { ms: number; said: string } {
  const start = performance.now();
  const { status, output, error } = spawnSync(process.execPath, [...nodeOptions, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const ms = performance.now() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return { ms, said: String(output[3]) };
}

/** One round to warm the page cache, in which memory is looked at; then the rounds that count. */
function measure(contenders: readonly Contender[]): Measured[] {
  const peaks = contenders.map((each) => Number(runOnce(each, ['--import', './bench/peak-memory.mjs']).said));
  const times = contenders.map((): number[] => []);
  for (let i = 0; i < ITERATIONS; i++) contenders.forEach((each, at) => times[at].push(runOnce(each).ms));
  return contenders.map(({ name }, at) => {
    const sorted = times[at].toSorted((a, b) => a - b);
    return { name, medianMs: sorted[(sorted.length - 1) >> 1], minMs: sorted[0], peakBytes: peaks[at] };
  });
}

function print(question: string, goal: number, [ours, theirs]: readonly Measured[]): void {
  for (const { name, medianMs, minMs, peakBytes } of [ours, theirs]) {
    const cells = [`${medianMs.toFixed(0)} ms`, `${minMs.toFixed(0)} ms`, `${(peakBytes / 1e6).toFixed(0)} MB`];
    console.log(`${question.padEnd(6)} ${name.padEnd(23)} ${cells.map((cell) => cell.padStart(10)).join('')}`);
  }
  const ratio = ours.medianMs / theirs.medianMs;
  console.log(
    `${question.padEnd(6)} ${'ratio'.padEnd(23)} ${`${ratio.toFixed(2)} ×`.padStart(10)}${`${(ours.minMs / theirs.minMs).toFixed(2)} ×`.padStart(10)}   goal: under ${goal} ×`,
  );
}

function revision(): string {
  const say = (...args: readonly string[]): string => String(spawnSync('git', args).stdout).trim();
  return `${say('rev-parse', '--short', 'HEAD')}${say('status', '--porcelain', '--', 'src') === '' ? '' : '+'}`;
}

function main(): void {
  if (!existsSync(TRACE)) {
    console.log(`skipped: needs ${TRACE}; set LONGPOLE_TRACES to the folder of public traces`);
    return;
  }
  spawnSync(process.execPath, ['scripts/build.mjs', '--no-dts'], { stdio: ['ignore', 2, 2] });
  const load = loadavg();
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? arch()}`;
  console.log(
    `${machine}; Node ${process.version}; load ${load.map((each) => each.toFixed(2)).join(' ')}; ${ITERATIONS} rounds`,
  );
  console.log(`${' '.repeat(30)} ${['median', 'least', 'peak'].map((title) => title.padStart(10)).join('')}`);
  const results = DUELS.map(({ question, contenders, goal }) => {
    const measured = measure(contenders);
    print(question, goal, measured);
    return { question, ratio: Number((measured[0].medianMs / measured[1].medianMs).toFixed(3)), goal, measured };
  });
  const [{ measured }] = results;
  console.log(`memory ${(measured[0].peakBytes / 1e6).toFixed(0)} MB, goal: under ${MEMORY_GOAL_BYTES / 1e6} MB`);
  const run = {
    bench: 'path',
    at: new Date().toISOString(),
    revision: revision(),
    node: process.version,
    machine,
    load,
  };
  console.log(JSON.stringify({ ...run, iterations: ITERATIONS, results }));
}

main();
