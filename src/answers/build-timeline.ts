import { escapeText } from '../base/format.ts';
import { CONSTRAINT_KINDS } from '../graph/constraints.ts';
import { graphOptionsOf } from '../graph/graph-options.ts';
import type { Graph } from '../graph/graph.ts';
import { bandwidthName, copyKinds } from '../graph/copy-bandwidth.ts';
import { depthName, queueDepth } from '../graph/queue-depth.ts';
import { SEGMENT_KINDS } from '../graph/segments.ts';
import type { StepSeries } from '../graph/step-series.ts';
import type { OptionsOf } from '../analyses/registry.ts';
import {
  EVENT_KINDS,
  type EventKind,
  type Timeline,
  type TimelineCounter,
  type TimelineLane,
} from '../protocol/timeline.ts';
import { RowKind, isCall } from '../trace/kinds.ts';
import type { Session } from '../library/session.ts';
import { type Laid, type LaneDraft, layLanes } from './lay-lanes.ts';

type PathOptions = OptionsOf<'critical-path'>;

/** Longer names are cut: whoever wants the whole one asks for the event. */
const LONGEST_NAME = 2_000;

/** All that the timeline is drawn from: lanes, counters, and the path of the windows that are asked for. O(n log n). */
export function buildTimeline(session: Session, options: PathOptions): Timeline {
  const graph = session.subject.graph(graphOptionsOf(options));
  const laid = layLanes(graph);
  const order = orderLanes(graph, laid.lanes);
  const columns = eventColumns(graph, laid, order);
  const counters = counterColumns(counterSeries(graph));
  return {
    schema: 'longpole.timeline/1',
    file: session.trace.file,
    ...(session.trace.rank === undefined ? {} : { rank: session.trace.rank }),
    count: new Int32Array(0),
    pathCount: new Int32Array(0),
    covered: new Float64Array(0),
    leftOut: { withoutLength: laid.withoutLength, withoutTime: laid.withoutTime },
    ...columns,
    ...counters,
    lanes: withCounterLanes(columns.lanes, counters.counters),
    ...pathColumns(session, options),
  };
}

/** Annotations say where one is, so they come first; then what is paid for, the devices; then the threads that feed them. */
const KIND_ORDER = ['annotation', 'stream', 'device-annotation', 'host', 'python', 'sync', 'other'] as const;

function orderLanes({ device, trace }: Graph, lanes: readonly LaneDraft[]): number[] {
  const busy = new Map<number, number>();
  for (const { kind, of, busyNs } of lanes) if (kind === 'host') busy.set(of, busyNs);
  /** Threads by how long they are busy, so that the main one comes first; a thread's Python frames follow its ops. */
  const group = ({ kind }: LaneDraft): number => KIND_ORDER.indexOf(kind === 'python' ? 'host' : kind);
  const within = ({ kind, of }: LaneDraft): readonly number[] =>
    kind === 'stream'
      ? [device.lanes[of].device, device.lanes[of].stream]
      : [-(busy.get(of) ?? 0), of % trace.tracks.length, KIND_ORDER.indexOf(kind)];
  return lanes
    .map((_, i) => i)
    .sort((a, b) => {
      const [first, second] = [lanes[a], lanes[b]];
      if (group(first) !== group(second)) return group(first) - group(second);
      const [left, right] = [within(first), within(second)];
      const at = left.findIndex((value, i) => value !== right[i]);
      return at === -1 ? 0 : left[at] - right[at];
    });
}

function eventColumns(graph: Graph, laid: Laid, order: readonly number[]) {
  const { events, strings } = graph.trace;
  const rowStart: number[] = [];
  const rowsBefore: number[] = [];
  const lanes: TimelineLane[] = [];
  let total = 0;
  for (const at of order) {
    const draft = laid.lanes[at];
    rowsBefore[at] = rowStart.length;
    lanes.push({
      ...describe(graph, draft),
      firstRow: rowStart.length,
      rows: draft.depths.length,
      ...(draft.kind === 'stream' ? { counter: draft.of } : {}),
    });
    for (const count of draft.depths) {
      rowStart.push(total);
      total += count;
    }
  }
  rowStart.push(total);
  const next = Int32Array.from(rowStart);
  const [start, end] = [new Float64Array(total), new Float64Array(total)];
  const [name, position] = [new Int32Array(total), new Int32Array(total)];
  const kind = new Uint8Array(total);
  const kindOf = eventKinds(graph);
  const names: string[] = [];
  const nameOf = new Map<number, number>();
  let [startNs, endNs] = [Infinity, -Infinity];
  for (let e = 0; e < events.length; e++) {
    const lane = laid.laneOf[e];
    if (lane === -1) continue;
    const at = next[rowsBefore[lane] + laid.depthOf[e]]++;
    start[at] = events.start[e];
    end[at] = events.start[e] + events.dur[e];
    position[at] = events.position[e];
    kind[at] = kindOf(e);
    let known = nameOf.get(events.name[e]);
    if (known === undefined) {
      known = names.length;
      nameOf.set(events.name[e], known);
      const text = strings.text(events.name[e]);
      names.push(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text);
    }
    name[at] = known;
    startNs = Math.min(startNs, start[at]);
    endNs = Math.max(endNs, end[at]);
  }
  if (total === 0) [startNs, endNs] = [0, 0];
  return { lanes, names, startNs, endNs, rowFirst: Int32Array.from(rowStart), start, end, name, position, kind };
}

function eventKinds({ trace, device, classOf }: Graph): (e: number) => number {
  const code = (kind: EventKind): number => EVENT_KINDS.indexOf(kind);
  const ofCategory = trace.categories.map(({ kind }) => {
    if (kind === RowKind.op) return code('op');
    if (isCall(kind)) return code('call');
    if (kind === RowKind.annotation || kind === RowKind.gpuAnnotation) return code('annotation');
    if (kind === RowKind.python) return code('python');
    return code(kind === RowKind.sync || kind === RowKind.record ? 'sync' : 'other');
  });
  const ofClass = {
    kernel: code('kernel'),
    collective: code('collective'),
    copy: code('copy'),
    other: code('device-other'),
  };
  return (e) => {
    const op = device.opOfEvent[e];
    return op === -1 ? ofCategory[trace.events.category[e]] : ofClass[classOf[op]];
  };
}

/** How a lane of what only labels is called: by the thread that it labels. */
const PREFIX = {
  annotation: 'annotations-',
  host: '',
  python: 'python-',
  'device-annotation': 'device-annotations-',
  sync: 'sync-',
  other: 'other-',
} as const;

function describe({ device, trace }: Graph, { kind, of }: LaneDraft): Pick<TimelineLane, 'id' | 'kind' | 'title'> {
  if (kind === 'stream') {
    const lane = device.lanes[of];
    return { id: lane.name, kind, title: `Device ${lane.device}, stream ${lane.stream}` };
  }
  const track = trace.tracks[of];
  const id = `${PREFIX[kind]}t-${track.pid}.${track.tid}`;
  const thread = escapeText(track.threadName ?? track.tid)
    .replace(/^thread /, '')
    .slice(0, 60);
  switch (kind) {
    case 'host':
      return { id, kind, title: `Host ${thread}` };
    case 'annotation':
      return { id, kind, title: `Annotations ${thread}` };
    case 'python':
      return { id, kind, title: `Python ${thread}` };
    case 'device-annotation':
      return { id, kind, title: `On device ${thread}` };
    case 'sync':
      return { id, kind, title: `Sync rows ${thread}` };
    case 'other':
      return { id, kind, title: `Other ${thread}` };
  }
}

/** Series of a stream, by its row in `graph.device.lanes`; then those that have a lane of their own. */
function counterSeries(
  graph: Graph,
): { readonly counter: Omit<TimelineCounter, 'max'>; readonly series: StepSeries }[] {
  const depths = queueDepth(graph).ops.map((series, lane) => {
    const { name } = graph.device.lanes[lane];
    return { counter: { id: depthName(name), title: `Queue depth ${name}`, unit: 'ops waiting' }, series };
  });
  const bandwidths = copyKinds(graph).map((kind) => ({
    counter: { id: bandwidthName(kind), title: `${escapeText(kind.name)}, device ${kind.device}`, unit: 'GB/s' },
    series: kind.series,
  }));
  return [...depths, ...bandwidths.filter(({ series }) => series.time.length > 0)];
}

function counterColumns(all: ReturnType<typeof counterSeries>) {
  const first = [0];
  for (const { series } of all) first.push(first[first.length - 1] + series.time.length);
  const counterTime = new Float64Array(first[first.length - 1]);
  const counterValue = new Float64Array(counterTime.length);
  const counters = all.map(({ counter, series: { time, value } }, at) => {
    counterTime.set(time, first[at]);
    counterValue.set(value, first[at]);
    let max = 0;
    for (const each of value) max = Math.max(max, each);
    return { ...counter, max };
  });
  return { counters, counterFirst: Int32Array.from(first), counterTime, counterValue };
}

/** A lane without rows for each series that belongs to no stream, behind the streams. */
function withCounterLanes(lanes: readonly TimelineLane[], counters: readonly TimelineCounter[]): TimelineLane[] {
  const taken = new Set(lanes.map(({ counter }) => counter));
  const behind = lanes.findLastIndex(({ kind }) => kind === 'stream') + 1;
  const firstRow = lanes[behind]?.firstRow ?? rowsOf(lanes);
  const own = counters.flatMap(({ id, title }, counter): TimelineLane[] =>
    taken.has(counter) ? [] : [{ id, kind: 'counter', title, firstRow, rows: 0, counter }],
  );
  return [...lanes.slice(0, behind), ...own, ...lanes.slice(behind)];
}

const rowsOf = (lanes: readonly TimelineLane[]): number => lanes.reduce((sum, { rows }) => sum + rows, 0);

const BOUND_BY = [...CONSTRAINT_KINDS, 'window-start'] as const;

function pathColumns(session: Session, options: PathOptions) {
  const outcome = session.run('critical-path', options);
  const segments = outcome.status === 'ok' ? outcome.result.path.segments : [];
  const windows = outcome.status === 'ok' ? outcome.result.windows : [];
  return {
    ...(outcome.status === 'ok' ? {} : { noPath: outcome.reason }),
    windows: windows.map(({ label, startNs, endNs }) => ({ label, startNs, endNs })),
    segmentKinds: SEGMENT_KINDS,
    boundBy: BOUND_BY,
    pathStart: Float64Array.from(segments, ({ startNs }) => startNs),
    pathEnd: Float64Array.from(segments, ({ endNs }) => endNs),
    pathPosition: Int32Array.from(segments, ({ event }) => event?.event ?? -1),
    pathKind: Uint8Array.from(segments, ({ kind }) => SEGMENT_KINDS.indexOf(kind)),
    pathBoundBy: Uint8Array.from(segments, ({ boundBy }) => BOUND_BY.indexOf(boundBy)),
  };
}
