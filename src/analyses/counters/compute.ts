import { formatCount, formatPlural } from '../../base/format.ts';
import { type CopyKind, bandwidthName, copyKinds } from '../../graph/copy-bandwidth.ts';
import type { Lane } from '../../graph/device.ts';
import type { Graph } from '../../graph/graph.ts';
import { clip, lengthOf, unionOf } from '../../graph/intervals.ts';
import { depthName, queueDepth } from '../../graph/queue-depth.ts';
import { runsIn } from '../../graph/runs-in.ts';
import { type StepSeries, clipSeries, summarizeSteps, timeAtLeast } from '../../graph/step-series.ts';
import { Phase } from '../../trace/tables.ts';
import type { Outcome, Subject } from '../contract.ts';
import { type Scope, openScope, scopeResult } from '../scope.ts';
import type { CountersOptions } from './options.ts';
import type { BandwidthSeries, CounterPoint, CountersResult, QueueSeries } from './result.ts';

/** Queue depth and copy bandwidth as functions of time, and what they are like in the windows. O(n log n). */
export function computeCounters(subject: Subject, options: CountersOptions): Outcome<CountersResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph } = scope;
  const { lanes } = graph.device;
  const depth = subject.once('queue depth', () => queueDepth(graph)).ops;
  const kinds = copyKinds(graph);
  const used = lanes.map((_, lane) => lane).filter((lane) => hasLaunches(graph, lanes[lane]));
  const ownCounters = countersOfTrace(graph);
  if (used.length === 0 && kinds.length === 0 && ownCounters.length === 0) {
    return { status: 'not-applicable', reason: whyNone(graph) };
  }
  const queues = used.map((lane) => queueOf(scope, lanes[lane], depth[lane]));
  const bandwidths = kinds.map((kind) => bandwidthOf(scope, kind)).filter(({ copies }) => copies > 0);
  const all = new Map<string, StepSeries>([
    ...used.map((lane) => [depthName(lanes[lane].name), depth[lane]] as const),
    ...kinds.map((kind) => [bandwidthName(kind), kind.series] as const),
  ]);
  return {
    status: 'ok',
    result: {
      ...scopeResult(scope, notesOf(scope, used.length, bandwidths, ownCounters.length)),
      queues: queues.sort((a, b) => (b.overTime?.mean ?? 0) - (a.overTime?.mean ?? 0) || (a.lane < b.lane ? -1 : 1)),
      bandwidths: bandwidths.sort(
        (a, b) =>
          a.device - b.device || (b.bytes ?? 0) - (a.bytes ?? 0) || b.copies - a.copies || (a.kind < b.kind ? -1 : 1),
      ),
      ownCounters,
      ...(options.points === true ? { points: pointsOf(scope, all) } : {}),
    },
  };
}

const hasLaunches = ({ device }: Graph, { ops }: Lane): boolean => ops.some((op) => device.call[op] !== -1);

function whyNone({ device }: Graph): string {
  return device.length === 0
    ? 'the trace has no device rows: nothing waits in a queue and nothing is copied'
    : 'no device op has its launch call in the trace, so no queue is known, and none is a copy';
}

/** Under which process the trace files a device op. */
const processOf = ({ trace, device }: Graph, op: number): string =>
  trace.tracks[trace.events.track[device.event[op]]].pid;

function queueOf({ graph, start, end }: Scope, { name, ops }: Lane, series: StepSeries): QueueSeries {
  const overTime = summarizeSteps(series, start, end);
  const wall = end - start;
  return {
    series: depthName(name),
    lane: name,
    process: processOf(graph, ops[0]),
    steps: clipSeries(series, start, end).time.length,
    ...(overTime === undefined ? {} : { overTime }),
    emptyShare: wall > 0 ? (wall - timeAtLeast(series, start, end, 1)) / wall : 0,
  };
}

function bandwidthOf({ graph, start, end }: Scope, kind: CopyKind): BandwidthSeries {
  const { device } = graph;
  let copies = 0;
  let bytes: number | undefined;
  let untold = 0;
  let damaged = 0;
  kind.ops.forEach((op, i) => {
    if (!runsIn(device, op, start, end)) return;
    copies++;
    damaged += kind.isDamaged[i];
    if (!Number.isNaN(kind.bytes[i])) bytes = (bytes ?? 0) + kind.bytes[i];
    if (Number.isNaN(kind.gbps[i]) || device.end[op] === device.start[op]) untold++;
  });
  const whole = summarizeSteps(kind.series, start, end);
  const whileActive = summarizeSteps(kind.series, start, end, 'above-zero');
  return {
    series: bandwidthName(kind),
    device: kind.device,
    process: processOf(graph, kind.ops[0]),
    kind: kind.name,
    steps: clipSeries(kind.series, start, end).time.length,
    copies,
    ...(bytes === undefined ? {} : { bytes }),
    untold,
    damaged,
    activeNs: lengthOf(clip(unionOf(device.start, device.end, kind.ops), start, end)),
    ...(whole === undefined || untold === copies ? {} : { meanGBps: whole.mean }),
    ...(whileActive === undefined ? {} : { whileActive }),
  };
}

function countersOfTrace({ trace }: Graph): { name: string; rows: number }[] {
  const { events, strings } = trace;
  const rows = new Map<number, number>();
  for (let e = 0; e < events.length; e++) {
    if (events.phase[e] === Phase.counter) rows.set(events.name[e], (rows.get(events.name[e]) ?? 0) + 1);
  }
  return [...rows]
    .map(([name, count]) => ({ name: strings.text(name as (typeof events.name)[number]), rows: count }))
    .sort((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1));
}

function pointsOf({ start, end }: Scope, all: ReadonlyMap<string, StepSeries>): CounterPoint[] {
  const points: CounterPoint[] = [];
  for (const [series, steps] of all) {
    const { time, value } = clipSeries(steps, start, end);
    for (let i = 0; i < time.length; i++) points.push({ series, timeNs: time[i], value: value[i] });
  }
  return points.sort((a, b) => a.timeNs - b.timeNs);
}

function notesOf(
  { graph }: Scope,
  queues: number,
  bandwidths: readonly BandwidthSeries[],
  ownCounters: number,
): string[] {
  const notes: string[] = [];
  const { deviceOps } = graph.coverage;
  if (queues === 0 && graph.device.length > 0) {
    notes.push('no device op has its launch call in the trace: no queue is known');
  } else if (deviceOps.linked < deviceOps.total) notes.push('what has no launch call counts in no queue');
  if (bandwidths.length === 0) notes.push('no copy and no fill runs in the window: there is no bandwidth to show');
  const sumOf = (field: 'copies' | 'untold' | 'damaged'): number =>
    bandwidths.reduce((sum, { [field]: count }) => sum + count, 0);
  const [copies, untold, damaged] = [sumOf('copies'), sumOf('untold'), sumOf('damaged')];
  if (damaged > 0) {
    const tell = `${formatPlural(copies, 'copy', 'copies')} ${damaged === 1 ? 'tells' : 'tell'}`;
    notes.push(`${formatCount(damaged)} of ${tell} a negative bandwidth or negative bytes, of which no use is made`);
  }
  if (untold > 0) {
    notes.push(
      `${formatCount(untold)} of ${formatPlural(copies, 'copy', 'copies')} tell neither a bandwidth nor bytes, or took no time: ` +
        'they count in no bandwidth',
    );
  }
  if (ownCounters > 0) notes.push('values of counter rows of the trace itself are not read');
  return notes;
}
