import { lowerBound } from '../../base/bisect.ts';
import type { GraphOptions } from '../../graph/graph-options.ts';
import { formatPlural } from '../../base/format.ts';
import { isDeviceWork, isHostOp, RowKind } from '../../trace/kinds.ts';
import { Phase, RowFlag } from '../../trace/tables.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Outcome, Subject } from '../contract.ts';
import { stepsOf } from '../scope.ts';
import { unknownDeviceRows } from '../unknown-device.ts';
import type { InfoRank, InfoResult, InfoStep } from './result.ts';

/** What is in one rank's file. Applies to every trace, one without events too. */
export function computeInfo(subject: Subject, options: GraphOptions): Outcome<InfoResult> {
  const { trace } = subject;
  const counts = countRows(trace);
  const rank: InfoRank = {
    file: trace.file,
    ...(trace.rank === undefined ? {} : { rank: trace.rank }),
    ...(trace.worldSize === undefined ? {} : { worldSize: trace.worldSize }),
    originUnixNs: String(trace.originUnixNs),
    events: trace.eventCount,
    byPhase: sortedCounts(Object.entries(trace.byPhase)),
    categories: sortedCounts(trace.categories.flatMap(({ name }, id) => (name === '' ? [] : [[name, counts[id]]]))),
    ...measureWork(trace),
    steps: trace.events.length === 0 ? [] : infoSteps(subject, options),
    notes: findNotes(subject, options, counts),
  };
  const diagnostics = trace.diagnostics.map((each) => ({ ...each, file: trace.file }));
  return { status: 'ok', result: { ranks: [rank], diagnostics } };
}

/** The option is there to share the graph with other analyses. */
function infoSteps(subject: Subject, options: GraphOptions): InfoStep[] {
  return stepsOf(subject, options).map(({ label, start, end, completion, complete }) => ({
    label,
    startNs: start,
    endNs: end,
    completionNs: completion,
    complete,
  }));
}

/** Largest first, equal ones by name: the same trace prints the same bytes. */
function sortedCounts(counts: readonly (readonly [string, number])[]): Record<string, number> {
  const sorted = counts.filter(([, count]) => count > 0);
  return Object.fromEntries(sorted.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}

/** By category. Rows without one (metadata, say) count in `byPhase` alone. */
function countRows({ events, categories }: Trace): Int32Array {
  const counts = new Int32Array(categories.length);
  for (let e = 0; e < events.length; e++) counts[events.category[e]]++;
  return counts;
}

const Role = { none: 0, host: 1, device: 2, annotation: 3 } as const;

function roleOf(kind: RowKind): (typeof Role)[keyof typeof Role] {
  if (isDeviceWork(kind)) return Role.device;
  if (isHostOp(kind)) return Role.host;
  return kind === RowKind.annotation ? Role.annotation : Role.none;
}

type Measured = Pick<InfoRank, 'spanNs' | 'devices' | 'streams' | 'threads'>;

/** One pass over the rows that have a plausible timing: those that are work, and the host's annotations for the span. */
function measureWork(trace: Trace): Measured {
  const { events, categories, device } = trace;
  let first = Infinity;
  let last = -Infinity;
  const threads = new Set<number>();
  const streams = new Set<string>();
  const devices = new Set<number>();
  const rolesOf = Uint8Array.from(categories, ({ kind }) => roleOf(kind));
  for (let e = 0; e < events.length; e++) {
    const role = rolesOf[events.category[e]];
    if (role === Role.none || (role === Role.annotation && events.phase[e] > Phase.begin)) continue;
    if ((events.flags[e] & RowFlag.noTiming) !== 0) continue;
    if (events.start[e] < first) first = events.start[e];
    const end = events.start[e] + events.dur[e];
    if (end > last) last = end;
    if (role === Role.annotation) continue;
    if (role === Role.host) {
      threads.add(events.track[e]);
      continue;
    }
    const row = lowerBound(device.event, e);
    const hasRow = row < device.event.length && device.event[row] === e;
    const lane = laneOf(trace, e, hasRow ? row : undefined);
    if (lane.device !== undefined) devices.add(lane.device);
    streams.add(`${lane.device}.${lane.stream}`);
  }
  const nameOf = new Map(trace.devices.map(({ id, name }) => [id, name]));
  // The writer lists all devices of the host; a rank is asked about those that it used.
  const ids = devices.size > 0 ? [...devices].sort((a, b) => a - b) : trace.devices.map(({ id }) => id);
  return {
    spanNs: last < first ? 0 : last - first,
    devices: ids.map((id) => {
      const name = nameOf.get(id);
      return name === undefined ? { id } : { id, name };
    }),
    streams: streams.size,
    threads: threads.size,
  };
}

/** The args tell device and stream; where a writer left them out, its track does. */
function laneOf({ events, tracks, device }: Trace, e: number, row: number | undefined) {
  const { pid, tid } = tracks[events.track[e]];
  const hasDevice = row !== undefined && device.device[row] >= 0;
  const hasStream = row !== undefined && device.stream[row] >= 0;
  const id = hasDevice ? device.device[row] : /^\d+$/.test(pid) ? Number(pid) : undefined;
  return { device: id, stream: hasStream ? String(device.stream[row]) : tid };
}

/** `counts`: rows by category. */
function findNotes(subject: Subject, options: GraphOptions, counts: Int32Array): string[] {
  const { events, categories, sync, records } = subject.trace;
  if (events.length === 0) return ['no events'];
  const notes: string[] = [];
  let deviceRows = 0;
  let unknown = 0;
  categories.forEach(({ kind, name }, id) => {
    if (isDeviceWork(kind)) deviceRows += counts[id];
    if (kind === RowKind.unknown && name !== '') unknown += counts[id];
  });
  if (deviceRows === 0) {
    // With launches and rows that may be what they launched, no path has an answer: not of the host alone, either.
    const isUnknown = unknownDeviceRows(subject.graph(options)) !== undefined;
    notes.push(
      isUnknown
        ? 'no device work of a known category: what bounds this trace cannot be told'
        : 'no device work: only host time can be explained',
    );
  }
  if (deviceRows > 0 && sync.event.length === 0) {
    notes.push('no synchronisation rows: which stream waited for which is not in this trace');
  } else if (deviceRows > 0 && records.event.length === 0) {
    notes.push('no record rows: the stream of a recorded event is known only where somebody waited for it');
  }
  if (unknown > 0) {
    const rows = formatPlural(unknown, 'row of a category that is', 'rows of categories that are');
    notes.push(`${rows} not known here ${unknown === 1 ? 'counts' : 'count'} as no work`);
  }
  return notes;
}
