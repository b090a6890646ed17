// Contenders as fresh processes, one at a time, in turn, so that what else the machine does falls on all of them.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg } from 'node:os';

export interface Contender {
  readonly name: string;
  /** The arguments of `node`. A process that prints `{"ms": …}` tells its time itself; else the whole process counts. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A folder that is removed before each run. */
  readonly clean?: string;
}

export interface Measured {
  readonly name: string;
  readonly medianMs: number;
  readonly leastMs: number;
  /** Of all threads, in the run that took the least. */
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** What the process says that came behind, and behind that, in the median run. */
  readonly restMs: number;
  readonly leverageMs: number;
}

interface Run {
  readonly ms: number;
  readonly restMs: number;
  readonly leverageMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

function runOnce({ name, args, env, clean }: Contender): Run {
  if (clean !== undefined) rmSync(clean, { recursive: true, force: true });
  const start = performance.now();
  const { status, output, error } = spawnSync(process.execPath, ['--import', './bench/usage.mjs', ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    maxBuffer: 2 ** 30,
    env: { ...process.env, ...env },
  });
  const whole = performance.now() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  const text = String(output[1]);
  const said: Partial<Run> = text.startsWith('{"ms":') ? (JSON.parse(text) as Partial<Run>) : {};
  const usage = JSON.parse(String(output[3])) as { cpuMs: number; peakBytes: number };
  return { ...usage, ms: said.ms ?? whole, restMs: said.restMs ?? 0, leverageMs: said.leverageMs ?? 0 };
}

export function measure(contenders: readonly Contender[], rounds: number): Measured[] {
  const runs = contenders.map((): Run[] => []);
  for (let round = 0; round < rounds; round++) contenders.forEach((each, at) => runs[at]?.push(runOnce(each)));
  return contenders.map(({ name }, at) => {
    const sorted = (runs[at] ?? []).toSorted((a, b) => a.ms - b.ms);
    const [least] = sorted;
    const median = sorted[(sorted.length - 1) >> 1];
    if (least === undefined || median === undefined) throw new Error('no rounds');
    return {
      name,
      medianMs: median.ms,
      restMs: median.restMs,
      leverageMs: median.leverageMs,
      leastMs: least.ms,
      cpuMs: least.cpuMs,
      peakBytes: Math.max(...sorted.map(({ peakBytes }) => peakBytes)),
    };
  });
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

export function printMeasured(each: Measured, jsonBytes: number): void {
  const speed = (ms: number): string => `${(jsonBytes / 1e3 / ms).toFixed(0)} MB/s`;
  const cells = [
    `${each.medianMs.toFixed(0)} ms`,
    speed(each.medianMs),
    speed(each.leastMs),
    `${each.cpuMs.toFixed(0)} ms`,
  ];
  console.log(
    `  ${each.name.padEnd(26)}${[...cells, megabytes(each.peakBytes)].map((cell) => cell.padStart(11)).join('')}`,
  );
}

export interface Goal {
  readonly goal: string;
  /** By medians, and by the least of each. */
  readonly value: number;
  readonly best: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function printGoal({ goal, value, best, atLeast, atMost }: Goal): void {
  const isMet = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const limit = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  console.log(
    `  ${isMet ? 'met   ' : 'MISSED'} ${goal.padEnd(62)} ${value.toFixed(2).padStart(7)} (best ${best.toFixed(2)}); ${limit}`,
  );
}

/** Speed (of ours against theirs) by medians and by the least. */
export const ratio = (ours: Measured, theirs: Measured): { readonly value: number; readonly best: number } => ({
  value: theirs.medianMs / ours.medianMs,
  best: theirs.leastMs / ours.leastMs,
});

export function buildProgram(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--no-dts'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the build failed');
}

/** What a line of a history file begins with. */
export function describeRun(bench: string): { readonly [key: string]: unknown } {
  const git = (...args: readonly string[]): string => String(spawnSync('git', args).stdout).trim();
  const revision = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'src') === '' ? '' : '+');
  return {
    bench,
    at: new Date().toISOString(),
    revision,
    node: process.version,
    machine: `${availableParallelism()} cores of ${cpus()[0]?.model ?? arch()}`,
    load: loadavg().map((each) => Number(each.toFixed(2))),
  };
}
