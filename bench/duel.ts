// What benchmarks have in common: two programs, each a fresh process, one at a time, in turn, so that what else the machine does meanwhile falls on
// both. Times are whole processes.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';

const ROUNDS = Number(process.argv[2] ?? 7);

/** A public trace. */
export const traceFile = (file: string): string => join(process.env['LONGPOLE_TRACES'] ?? '../shared/traces', file);

/** A program that is measured: the arguments of `node`. */
export interface Contender {
  readonly name: string;
  readonly args: readonly string[];
}

/** The first is held against the second. */
export interface Duel {
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

/** Prints all duels of a benchmark; `needs`: the files without which it says that it is skipped. */
export function runDuels(bench: string, duels: readonly Duel[], needs: readonly string[]): void {
  const missing = needs.find((file) => !existsSync(file));
  if (missing !== undefined) {
    console.log(`skipped: needs ${missing}; set LONGPOLE_TRACES to the folder of public traces`);
    return;
  }
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--no-dts'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the build failed');
  const load = loadavg().map((each) => Number(each.toFixed(2)));
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model ?? arch()}`;
  console.log(`${machine}; Node ${process.version}; load ${load.join(' ')}; ${ROUNDS} rounds`);
  printRow('', '', ['median', 'least', 'cpu'], 'peak');
  const results = duels.map((duel) => {
    const measured = measure(duel.contenders);
    printDuel(duel, measured);
    return { question: duel.question, goal: duel.goal, measured };
  });
  const run = {
    bench,
    at: new Date().toISOString(),
    revision: revision(),
    node: process.version,
    machine,
    load,
  };
  console.log(JSON.stringify({ ...run, rounds: ROUNDS, results }));
}
