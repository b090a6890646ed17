// npm run bench -- fleet [RANKS…] [EVENTS] : a job of many ranks, stamped from 16 simulated ones. Each rank has its own clock, rank and
// groups. Ranks are stamped, mapped and deleted in batches, so that the traces never take more than a batch's room. RANKS: how many are
// mapped (1000), and how many then are reduced (an eighth to all of them), to see that time grows with their number: the summaries of jobs
// of other sizes are stamped from those that were mapped. EVENTS a rank, such as 100000e. `fleet 16 10000` is the largest job of the goals:
// the summaries of sixteen ranks, stamped into ten thousand (1.2 GB).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinetoTrace } from '../src/sim/kineto.ts';
import { dataParallel } from '../src/sim/programs/data-parallel.ts';
import { JobRun } from '../src/sim/run.ts';
import { buildProgram, describeRun, megabytes, printGoal } from './kit/measure.ts';
import { stampSummary } from './kit/stamp-summary.ts';
import { type Template, stampRank, templateOf } from './kit/stamp.ts';

const SIMULATED = 16;
/** Traces that lie on the disk at once. */
const BATCH = 50;
const FOLDER = join(tmpdir(), 'longpole-bench-fleet');
const BIN = 'bin/longpole.js';
const MOST_DISK = 5e9;

interface Usage {
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** A run of the program; its peak memory is that of the whole process. */
function run(args: readonly string[]): Usage {
  const start = performance.now();
  const { status, output } = spawnSync(process.execPath, ['--import', './bench/usage.mjs', BIN, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { ...process.env, LONGPOLE_CACHE: 'off' },
  });
  if (status !== 0) throw new Error(`longpole ${args[0]} ended with ${status}`);
  const usage = JSON.parse(String(output[3])) as Omit<Usage, 'ms'>;
  return { ms: performance.now() - start, ...usage };
}

/** Steps that give so many events a rank. */
function templates(events: number): readonly Template[] {
  const jobOf = (steps: number): ReturnType<typeof dataParallel> =>
    dataParallel({
      ranks: SIMULATED,
      steps,
      layers: 12,
      clockSpreadNs: 300_000,
      straggler: { rank: 5, kind: 'device', factor: 1.15 },
    });
  const countOf = (steps: number): number => {
    const job = jobOf(steps);
    const json = [...kinetoTrace(job, new JobRun(job).truthOf(0)).chunks].join('');
    return json.split('"ph":').length - 1;
  };
  const [one, two] = [countOf(1), countOf(2)];
  const job = jobOf(Math.max(1, Math.round((events - one) / (two - one)) + 1));
  const simulated = new JobRun(job);
  return Array.from({ length: SIMULATED }, (_, rank) => templateOf(kinetoTrace(job, simulated.truthOf(rank)).chunks));
}

function mapAll(made: readonly Template[], ranks: number, out: string): Usage & { readonly diskBytes: number } {
  const traces = join(FOLDER, 'traces');
  let [ms, cpuMs, peakBytes, diskBytes] = [0, 0, 0, 0];
  for (let first = 0; first < ranks; first += BATCH) {
    mkdirSync(traces, { recursive: true });
    const last = Math.min(first + BATCH, ranks);
    for (let rank = first; rank < last; rank++) {
      const template = made[rank % made.length];
      if (template === undefined) throw new Error('no template');
      writeFileSync(join(traces, `rank-${rank}.json`), stampRank(template, rank, ranks));
    }
    const bytes = readdirSync(traces).reduce((sum, name) => sum + statSync(join(traces, name)).size, 0);
    diskBytes = Math.max(diskBytes, bytes);
    if (diskBytes > MOST_DISK) throw new Error(`a batch takes ${megabytes(diskBytes)}`);
    const used = run(['map', traces, '--out', out]);
    ms += used.ms;
    cpuMs += used.cpuMs;
    peakBytes = Math.max(peakBytes, used.peakBytes);
    rmSync(traces, { recursive: true });
    console.log(
      `  mapped ${last} of ${ranks}: ${(ms / 1000).toFixed(1)} s, CPU ${(cpuMs / 1000).toFixed(1)} s, peak ${megabytes(peakBytes)} in all threads; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  return { ms, cpuMs, peakBytes, diskBytes };
}

/** The summaries of a job of so many ranks, from those of one of another size. */
function jobOf(all: string, mapped: number, count: number): string {
  const some = join(FOLDER, 'some');
  rmSync(some, { recursive: true, force: true });
  mkdirSync(some);
  const rankOf = (name: string): number => Number(/^rank-(\d+)/.exec(name)?.[1]);
  const names = readdirSync(all).toSorted((a, b) => rankOf(a) - rankOf(b));
  for (let rank = 0; rank < count; rank++) {
    const from = rank % names.length;
    const summary = readFileSync(join(all, names[from] ?? ''));
    const stamped = count === mapped ? summary : stampSummary(summary, { from, mapped, rank, count });
    writeFileSync(join(some, `rank-${rank}.rank`), stamped);
  }
  return some;
}

function main(): void {
  const args = process.argv.slice(2);
  const events = Number(args.find((each) => /^\d+e$/.test(each))?.slice(0, -1) ?? 100_000);
  const [ranks = 1_000, ...others] = args.filter((each) => /^\d+$/.test(each)).map(Number);
  buildProgram();
  rmSync(FOLDER, { recursive: true, force: true });
  const out = join(FOLDER, 'summaries');
  try {
    const made = templates(events);
    console.log(`${ranks} ranks of some ${events} events, stamped from ${SIMULATED}, ${BATCH} at a time`);
    const mapped = mapAll(made, ranks, out);
    const summaryBytes = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
    console.log(`  summaries: ${megabytes(summaryBytes)}, ${(summaryBytes / ranks / 1000).toFixed(1)} kB a rank`);
    const parts = [8, 4, 2, 1].map((part) => Math.ceil(ranks / part)).filter((count) => count > 1);
    const reduced = (others.length === 0 ? parts : others).map((count) => {
      const used = run(['reduce', jobOf(out, ranks, count), '--limit', '5']);
      const about = `${(used.ms / 1000).toFixed(2)} s, CPU ${(used.cpuMs / 1000).toFixed(1)} s, ${megabytes(used.peakBytes)}`;
      console.log(`  reduced ${String(count).padStart(6)}: ${about}; load ${loadavg()[0]?.toFixed(1)}`);
      return { count, ...used };
    });
    const [least, most] = [reduced[0], reduced.at(-1)];
    if (least === undefined || most === undefined) throw new Error('nothing was reduced');
    const growth = most.ms / least.ms / (most.count / least.count);
    const goal = (name: string, value: number, atMost: number): void =>
      printGoal({ goal: name, value, best: value, atMost });
    goal('map, minutes for 1,000 ranks', (mapped.ms / 60_000 / ranks) * 1_000, 5);
    goal('map, GB a worker (of two)', mapped.peakBytes / 2e9, 0.6);
    goal('reduce, seconds', most.ms / 1000, most.count > 1_000 ? 240 : 20);
    goal('reduce, GB', most.peakBytes / 1e9, most.count > 1_000 ? 4 : 1);
    if (least !== most) goal(`growth of reduce from ${least.count} to ${most.count} ranks, of linear`, growth, 1.2);
    goal('traces on the disk at once, GB', mapped.diskBytes / 1e9, 5);
    console.log(JSON.stringify({ ...describeRun('fleet'), ranks, events, mapped, summaryBytes, reduced }));
  } finally {
    rmSync(FOLDER, { recursive: true, force: true });
  }
}

main();
