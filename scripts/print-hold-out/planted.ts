// Simulated jobs in which each step differs from the others by a change that was planted: kernels, host work or both take 1 to 30 % more.
import { TraceReader } from '../../src/ingest/read-trace.ts';
import { kinetoTrace } from '../../src/sim/kineto.ts';
import { type Action, EXACT_COSTS, type Job, NOISY_COSTS } from '../../src/sim/program.ts';
import { dataParallel } from '../../src/sim/programs/data-parallel.ts';
import { decode } from '../../src/sim/programs/decode.ts';
import { fsdp } from '../../src/sim/programs/fsdp.ts';
import { JobRun } from '../../src/sim/run.ts';
import type { Trace } from '../../src/trace/trace.ts';

/** By step: what its kernels and its host work are times. */
const PLANTED = [
  { device: 1, host: 1 },
  { device: 1.01, host: 1 },
  { device: 1.05, host: 1 },
  { device: 1.3, host: 1 },
  { device: 1, host: 1.1 },
  { device: 1, host: 1.3 },
  { device: 1.1, host: 1.2 },
] as const;

export function plantedTraces(): { readonly name: string; readonly trace: Trace }[] {
  const jobs: [string, Job][] = [];
  for (const [name, costs] of [
    ['exact', EXACT_COSTS],
    ['noisy', NOISY_COSTS],
  ] as const) {
    const one = { ranks: 1, steps: 1, costs };
    jobs.push([`data-parallel, ${name}`, dataParallel(one)]);
    jobs.push([`data-parallel with slow host, ${name}`, dataParallel({ ...one, hostNs: 60_000 })]);
    jobs.push([`fsdp, ${name}`, fsdp(one)]);
    jobs.push([`decode, ${name}`, decode({ ...one, usesGraph: false })]);
    jobs.push([`decode by graphs, ${name}`, decode(one)]);
  }
  return jobs.map(([name, job]) => ({ name, trace: traceOf(plant(job)) }));
}

/** The job's step again and again, each time changed in its own way. */
function plant(job: Job): Job {
  const [rank] = job.ranks;
  if (rank === undefined) throw new Error('a job without ranks');
  const [main, ...others] = rank.threads;
  if (main === undefined) throw new Error('a rank without threads');
  const body = PLANTED.flatMap((factors, n) => main.body.map((action) => unrolled(action, n, factors)));
  return { ...job, ranks: [{ ...rank, threads: [{ ...main, body }, ...others] }] };
}

function unrolled(action: Action, step: number, factors: (typeof PLANTED)[number]): Action {
  const inner = (list: readonly Action[]): readonly Action[] => list.map((each) => unrolled(each, step, factors));
  const named = action.kind === 'annotation' ? { ...action, name: action.name.replace('{i}', String(step)) } : action;
  const scaled = scaledBy(named, factors);
  return 'body' in scaled && scaled.body !== undefined ? ({ ...scaled, body: inner(scaled.body) } as Action) : scaled;
}

function scaledBy(action: Action, { device, host }: (typeof PLANTED)[number]): Action {
  switch (action.kind) {
    case 'op':
      return { ...action, scale: (action.scale ?? 1) * host };
    case 'sleep':
      return { ...action, ns: Math.round(action.ns * host) };
    case 'launch':
    case 'copy':
    case 'fill':
    case 'graph':
    case 'collective':
      return { ...action, scale: (action.scale ?? 1) * device };
    default:
      return action;
  }
}

function traceOf(job: Job): Trace {
  const reader = new TraceReader({ file: `${job.name}.json` });
  const encoder = new TextEncoder();
  for (const text of kinetoTrace(job, new JobRun(job).truthOf(0)).chunks) reader.push(encoder.encode(text));
  const read = reader.finish();
  if (!read.ok) throw new Error(`a simulated trace cannot be read: ${read.error.message}`);
  return read.value;
}
