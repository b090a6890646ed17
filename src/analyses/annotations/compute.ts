import { deviationOf, distributionOf } from '../../base/distribution.ts';
import { formatDur, formatPlural } from '../../base/format.ts';
import { lazy, lazyFields } from '../../base/lazy.ts';
import {
  type AnnotatedWork,
  type DrawnRow,
  annotatedWork,
  drawnAnnotations,
  hostAnnotations,
} from '../../graph/annotated-work.ts';
import { type Intervals, clip, lengthOf, unionOf } from '../../graph/intervals.ts';
import { HostPathTime } from '../../graph/path-time.ts';
import { runsIn, touches } from '../../graph/runs-in.ts';
import { ColBuilder } from '../../trace/columns.ts';
import type { StringId } from '../../trace/ids.ts';
import type { Outcome, Subject } from '../contract.ts';
import { lostWorkNotes } from '../lost-work.ts';
import { referTo } from '../refer.ts';
import { type Scope, openScope, scopeResult, type ScopeOptions } from '../scope.ts';
import { byNameOf, drawnSpans, externalIdOf } from './drawn.ts';
import { LaunchedSums } from './launched.ts';
import type {
  AnnotationInstance,
  AnnotationsResult,
  AnnotationsRow,
  InstanceDurations,
  LaunchedWork,
} from './result.ts';
import { selfTimes } from './self-times.ts';

/** What an answer is made from; many readers want host times only. */
interface Context {
  readonly scope: Scope;
  readonly instances: Int32Array;
  readonly work: () => AnnotatedWork;
  readonly sums: () => LaunchedSums;
  readonly hostPath: () => HostPathTime;
  /** By place in `instances`: own time in the windows. */
  readonly self: () => Float64Array;
  /** The device's rows in the windows, by name. */
  readonly drawn: ReadonlyMap<StringId, readonly DrawnRow[]>;
}

const NOTHING: LaunchedWork = { ops: 0, workerOps: 0, opTimeNs: 0, devices: [] };

/** Each annotation: its time on the host, and the device work that was launched in it. */
export function computeAnnotations(subject: Subject, options: ScopeOptions): Outcome<AnnotationsResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph, start, end } = scope;
  const { events } = graph.trace;
  const instances = hostAnnotations(graph);
  const drawn = drawnAnnotations(graph);
  const isInside = (event: number): boolean =>
    touches(events.start[event], events.start[event] + events.dur[event], start, end);
  const places = Array.from(instances, (_, place) => place).filter((place) => isInside(instances[place]));
  const drawnInside = drawn.filter(({ event }) => isInside(event));
  if (instances.length + drawn.length === 0) {
    return { status: 'not-applicable', reason: 'the trace has no annotations: record_function(NAME) makes them' };
  }
  const work = lazy(() => annotatedWork(graph, scope.context().annotations));
  const context: Context = {
    scope,
    instances,
    work,
    sums: lazy(() => new LaunchedSums(scope, work(), scope.devicePathNs())),
    hostPath: lazy(() => new HostPathTime(graph, scope.paths(), scope.windows)),
    self: lazy(() => selfTimes(graph.trace, instances, start, end)),
    drawn: byNameOf(graph.trace, drawnInside),
  };
  const rows = annotationRows(context, isInside);
  if (rows.length === 0) return { status: 'not-applicable', reason: 'no annotation of the trace lies in that window' };
  const result: AnnotationsResult = {
    ...scopeResult(scope),
    rows,
    instances: [],
    outside: { ops: 0, opTimeNs: 0 },
  };
  const outside = lazy(() => workOutside(scope, work()));
  const notes = (): string[] => [...notesOf(context, places, rows, outside()), ...lostWorkNotes(scope)];
  return {
    status: 'ok',
    result: lazyFields(result, {
      notes: () => scopeResult(scope, notes()).notes,
      instances: () => instancesOf(context, places),
      outside,
    }),
  };
}

/** One for each annotation that ran, the longest first. */
const instancesOf = (context: Context, places: readonly number[]): AnnotationInstance[] =>
  places.map((place) => instanceOf(context, place)).sort((a, b) => b.durNs - a.durNs || a.event.event - b.event.event);

/** Of one name, as places. */
interface NamePlaces {
  /** On the host in the windows. */
  readonly inside: number[];
  /** All of the trace: what one launched before the windows may run in them. */
  readonly all: number[];
}

function annotationRows(context: Context, isInside: (event: number) => boolean): AnnotationsRow[] {
  const { scope, instances, drawn } = context;
  const { name } = scope.graph.trace.events;
  const byName = new Map<StringId, NamePlaces>();
  const placesOf = (of: StringId): NamePlaces => {
    const known = byName.get(of) ?? { inside: [], all: [] };
    byName.set(of, known);
    return known;
  };
  instances.forEach((event, place) => {
    const { inside, all } = placesOf(name[event]);
    all.push(place);
    if (isInside(event)) inside.push(place);
  });
  for (const of of drawn.keys()) placesOf(of);
  const rows = [...byName].map(([of, places]) => annotationRow(context, of, places));
  return rows
    .filter((row) => row.count + row.drawn.length > 0 || row.launched.ops > 0)
    .sort((a, b) => b.totalNs - a.totalNs || b.launched.opTimeNs - a.launched.opTimeNs || compare(a, b));
}

const compare = (a: AnnotationsRow, b: AnnotationsRow): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function annotationRow(context: Context, of: StringId, { inside: places, all }: NamePlaces): AnnotationsRow {
  const { scope, instances, sums, hostPath, self, drawn } = context;
  const { graph, start, end } = scope;
  const { events, strings } = graph.trace;
  const byTrack = new Map<number, number[]>();
  let longest = -1;
  for (const place of places) {
    const event = instances[place];
    const known = byTrack.get(events.track[event]);
    if (known === undefined) byTrack.set(events.track[event], [event]);
    else known.push(event);
    if (longest === -1 || events.dur[event] > events.dur[longest]) longest = event;
  }
  let totalNs = 0;
  const unions: { readonly track: number; readonly union: Intervals }[] = [];
  /** Borders of the unions of all threads. */
  const borders = { from: new ColBuilder(Float64Array), to: new ColBuilder(Float64Array) };
  for (const [track, own] of byTrack) {
    const [from, to] = [new Float64Array(own.length), new Float64Array(own.length)];
    for (let i = 0; i < own.length; i++) {
      from[i] = events.start[own[i]];
      to[i] = events.start[own[i]] + events.dur[own[i]];
    }
    const union = clip(unionOf(from, to), start, end);
    totalNs += lengthOf(union);
    unions.push({ track, union });
    for (let i = 0; i < union.length; i += 2) {
      borders.from.push(union[i]);
      borders.to.push(union[i + 1]);
    }
  }
  const launched = lazy(() => sums().of(all));
  const hostPathNs = (): number => unions.reduce((sum, { track, union }) => sum + hostPath().within(track, union), 0);
  const durations = durationsOf(places.map((place) => events.dur[instances[place]]));
  const row: AnnotationsRow = {
    name: strings.text(of),
    count: places.length,
    threads: byTrack.size,
    totalNs,
    selfNs: 0,
    share: end > start ? lengthOf(unionOf(borders.from.take(), borders.to.take())) / (end - start) : 0,
    pathNs: 0,
    launched: NOTHING,
    drawn: drawnSpans(scope, drawn.get(of) ?? []),
    ...(durations === undefined ? {} : { durations }),
    ...(longest === -1 ? {} : { longest: referTo(graph, longest) }),
  };
  return lazyFields(row, {
    selfNs: () => places.reduce((total, place) => total + self()[place], 0),
    pathNs: () => hostPathNs() + launched().pathNs,
    launched: () => {
      const { pathNs: _, ...own } = launched();
      return own;
    },
  });
}

function durationsOf(durNs: readonly number[]): InstanceDurations | undefined {
  const found = distributionOf(durNs);
  if (found === undefined) return undefined;
  const stddev = deviationOf(durNs);
  return {
    minNs: found.min,
    medianNs: Math.round(found.median),
    meanNs: Math.round(found.mean),
    p95Ns: Math.round(found.p95),
    maxNs: found.max,
    ...(stddev === undefined ? {} : { stddevNs: Math.round(stddev) }),
  };
}

function instanceOf({ scope, instances, sums, drawn, ...context }: Context, place: number): AnnotationInstance {
  const { graph } = scope;
  const work = context.work();
  const { trace, device } = graph;
  const event = instances[place];
  let [from, to] = [Infinity, -Infinity];
  for (let cell = work.first[place]; cell < work.first[place + 1]; cell++) {
    from = Math.min(from, device.start[work.ops[cell]]);
    to = Math.max(to, device.end[work.ops[cell]]);
  }
  const { pathNs: _, ...launched } = sums().of([place]);
  const id = externalIdOf(trace, event);
  const own = id === -1 ? [] : (drawn.get(trace.events.name[event]) ?? []).filter((row) => row.externalId === id);
  return {
    event: referTo(graph, event),
    startNs: trace.events.start[event],
    durNs: trace.events.dur[event],
    launched,
    ...(from === Infinity ? {} : { deviceStartNs: from, deviceEndNs: to }),
    ...(own.length === 0 ? {} : { drawn: drawnSpans(scope, own) }),
  };
}

function workOutside({ graph, start, end }: Scope, { isLabelled }: AnnotatedWork): AnnotationsResult['outside'] {
  const { device } = graph;
  let ops = 0;
  let opTimeNs = 0;
  for (let op = 0; op < device.length; op++) {
    if (isLabelled[op] === 1 || !runsIn(device, op, start, end)) continue;
    ops++;
    opTimeNs += Math.min(device.end[op], end) - Math.max(device.start[op], start);
  }
  return { ops, opTimeNs };
}

function notesOf(
  { scope, instances }: Context,
  places: readonly number[],
  rows: readonly AnnotationsRow[],
  outside: AnnotationsResult['outside'],
): string[] {
  const { graph, start, end } = scope;
  const { events } = graph.trace;
  const notes: string[] = [];
  const cut = places.filter((place) => {
    const event = instances[place];
    return events.start[event] < start || events.start[event] + events.dur[event] > end;
  }).length;
  if (cut > 0) {
    notes.push(
      `${formatPlural(cut, 'annotation crosses', 'annotations cross')} the window's border: ` +
        'totals have the part inside, durations the whole',
    );
  }
  if (rows.some(({ launched }) => launched.workerOps > 0)) {
    notes.push('what a backward thread launched counts for the annotations of the thread that waited for it then');
  }
  if (outside.ops > 0) {
    const ops = formatPlural(outside.ops, 'device op');
    notes.push(`no annotation launched ${ops} of ${formatDur(outside.opTimeNs)}: other threads, or no launch call`);
  }
  const ahead = rows.filter(({ count, launched }) => count === 0 && launched.ops > 0).length;
  if (ahead > 0) {
    const names = formatPlural(ahead, 'name lies before the window, and runs', 'names lie before the window, and run');
    notes.push(`${names} on the devices in it`);
  }
  const onlyDrawn = rows.filter(({ count, launched }) => count + launched.ops === 0).length;
  if (onlyDrawn > 0) {
    const names = formatPlural(onlyDrawn, 'name has', 'names have');
    notes.push(`${names} rows on the device only: neither host time nor launches are known`);
  }
  return notes;
}
