import { BASE_UNIX_NS } from './kineto-clock.ts';
import type { KinetoOptions } from './kineto-options.ts';
import type { KinetoRows } from './kineto-rows.ts';
import type { Job } from './program.ts';
import type { RankTruth } from './truth.ts';

/** All before the first row. */
export function kinetoHead(job: Job, truth: RankTruth, options: KinetoOptions): string {
  const isHip = options.vendor === 'hip';
  const devices = [...new Set(truth.lanes.map(({ device }) => device))].sort((a, b) => a - b);
  const properties = devices.map((id) => ({
    id,
    name: isHip ? 'AMD Instinct MI300X' : 'NVIDIA H100 80GB HBM3',
    totalGlobalMem: 84_929_347_584,
    computeMajor: 9,
    computeMinor: isHip ? 4 : 0,
    maxThreadsPerBlock: 1_024,
    warpSize: isHip ? 64 : 32,
    numSms: isHip ? 304 : 132,
  }));
  const facts: [string, string][] = [
    ['schemaVersion', '1'],
    ['deviceProperties', JSON.stringify(properties)],
  ];
  if (job.groups.length > 0 || job.ranks.length > 1) {
    facts.push(['distributedInfo', JSON.stringify(distributedInfo(job, truth.rank))]);
  }
  if (options.epoch === 'base') facts.push(['baseTimeNanoseconds', BASE_UNIX_NS]);
  return `{\n${facts.map(([key, json]) => `"${key}":${json},`).join('\n')}\n"displayTimeUnit":"ms",\n"traceEvents":[\n`;
}

function distributedInfo(job: Job, rank: number): unknown {
  return {
    backend: 'nccl',
    rank,
    world_size: job.ranks.length,
    pg_count: job.groups.length,
    pg_config: job.groups.map(({ name, description, ranks }) => ({
      pg_name: name,
      pg_desc: description,
      backend_config: 'cuda:nccl',
      pg_size: ranks.length,
      ranks,
    })),
    nccl_version: '2.21.5',
  };
}

/** Names of processes, threads and streams, and the profiler's own rows. */
export function* nameRows(job: Job, truth: RankTruth, rows: KinetoRows): Generator<string> {
  const { pid, clock } = rows;
  const ts = clock.instant(0);
  const meta = (name: string, process: number, thread: number, key: string, value: string): string =>
    `{"name":"${name}","ph":"M","ts":${ts},"pid":${process},"tid":${thread},"args":{"${key}":${value}}}`;
  yield meta('process_name', pid, 0, 'name', '"python"');
  yield meta('process_labels', pid, 0, 'labels', '"CPU"');
  for (const device of new Set(truth.lanes.map((lane) => lane.device))) {
    yield meta('process_name', device, 0, 'name', '"python"');
    yield meta('process_labels', device, 0, 'labels', `"GPU ${device}"`);
  }
  for (const [thread, name] of truth.threads.entries()) {
    const tid = rows.tid(thread);
    yield meta('thread_name', pid, tid, 'name', JSON.stringify(`thread ${tid} (${name})`));
  }
  for (const { device, stream } of truth.lanes) {
    yield meta('thread_name', device, stream, 'name', `"stream ${stream} "`);
  }
  let end = 0;
  const { items } = truth;
  for (let item = 0; item < items.length; item++) end = Math.max(end, items.end[item]);
  yield `{"ph":"X","cat":"Trace",${clock.span(0, end)},"pid":"Spans","tid":"PyTorch Profiler","name":"PyTorch Profiler (0)","args":{"Op count":0}}`;
  yield `{"name":"Iteration Start: PyTorch Profiler","ph":"i","s":"g","pid":"Traces","tid":"Trace PyTorch Profiler","ts":${ts}}`;
  yield `{"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":${clock.instant(end)}}`;
}

/** All after the last row. */
export const kinetoTail = (truth: RankTruth, { epoch }: KinetoOptions): string =>
  `],\n"traceName":"rank${truth.rank}.${epoch}.pt.trace.json"\n}\n`;
