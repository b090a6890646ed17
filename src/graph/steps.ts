import { lowerBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import { Api } from './api-names.ts';
import type { Graph } from './graph.ts';

/** A stretch that an annotation names, and when the device work that it launched was over. */
export interface Span {
  readonly label: string;
  /** The annotation's event. */
  readonly event: number;
  /** The annotation's own start and end, in ns. */
  readonly start: number;
  readonly end: number;
  /** The latest end of the device ops whose launch call starts inside, on any thread; −Infinity without any. */
  readonly deviceEnd: number;
  readonly deviceOps: number;
  /** Launches of kernels and graphs inside without a device row. Copies and fills do not count: one of nothing leaves no row. */
  readonly lostLaunches: number;
}

export interface Step extends Span {
  /** The number in `ProfilerStep#5`. */
  readonly number: number;
  /** The latest of its end, its device work's end and the completion of the step before it. */
  readonly completion: number;
  readonly complete: boolean;
}

const STEP = /^ProfilerStep\s*#(\d+)$/;

/** Launch calls by start: what each stretch of host time put on the devices. */
export interface LaunchTimes {
  readonly start: Float64Array;
  readonly call: Int32Array;
}

export const launchTimes = ({ host, launches: { calls } }: Graph): LaunchTimes => ({
  call: calls,
  start: pick(host.start, calls),
});

/** `start` and `end` are the annotation's. */
export function spanOf(graph: Graph, times: LaunchTimes, label: string, event: number): Span {
  const { start, dur } = graph.trace.events;
  return spanBetween(graph, times, { label, event, start: start[event], end: start[event] + dur[event] });
}

/** Launches that start in [start, end) count. */
export function spanBetween(
  graph: Graph,
  times: LaunchTimes,
  { label, event, start, end }: Pick<Span, 'label' | 'event' | 'start' | 'end'>,
): Span {
  const { device, launches, calls } = graph;
  let deviceEnd = -Infinity;
  let deviceOps = 0;
  let lostLaunches = 0;
  for (let i = lowerBound(times.start, start); i < times.call.length && times.start[i] < end; i++) {
    const call = times.call[i];
    if (launches.first[call] === launches.first[call + 1] && (calls.api[call] & (Api.copy | Api.fill)) === 0) {
      lostLaunches++;
    }
    for (let j = launches.first[call]; j < launches.first[call + 1]; j++) {
      deviceEnd = Math.max(deviceEnd, device.end[launches.ops[j]]);
      deviceOps++;
    }
  }
  return { label, event, start, end, deviceEnd, deviceOps, lostLaunches };
}

/**
 * Host annotations whose name passes, the outermost of those that overlap on one thread, of the thread with the most launches,
 * in order of time.
 */
export function outermostAnnotations(graph: Graph, matches: (name: string) => boolean): number[] {
  const byTrack = new Map<number, number[]>();
  for (const event of annotations(graph, matches)) {
    const { start, dur, track } = graph.trace.events;
    const outer = byTrack.get(track[event]);
    const last = outer?.at(-1);
    if (outer === undefined) byTrack.set(track[event], [event]);
    else if (last === undefined || start[event] >= start[last] + dur[last]) outer.push(event);
  }
  const launched = launchesByThread(graph);
  const onTrack = new Map(graph.host.threads.map(({ track }, thread) => [track as number, launched[thread]]));
  let best: number[] = [];
  let most = -1;
  for (const [track, events] of byTrack) {
    const count = onTrack.get(track) ?? 0;
    if (count > most) [best, most] = [events, count];
  }
  return best;
}

/** All host annotations whose name passes, in order of time. */
export function annotations({ trace }: Graph, matches: (name: string) => boolean): number[] {
  const { events, categories, strings } = trace;
  const wanted = new Map<number, boolean>();
  const found: number[] = [];
  for (let e = 0; e < events.length; e++) {
    if (categories[events.category[e]].kind !== RowKind.annotation || events.phase[e] > Phase.begin) continue;
    if ((events.flags[e] & RowFlag.noTiming) !== 0) continue;
    const name = events.name[e];
    let isWanted = wanted.get(name);
    if (isWanted === undefined) {
      isWanted = matches(strings.text(name));
      wanted.set(name, isWanted);
    }
    if (isWanted) found.push(e);
  }
  return found;
}

/** By thread: its calls that have device rows. */
export function launchesByThread({ host, launches }: Graph): Int32Array {
  const launched = new Int32Array(host.threads.length);
  const { calls, first } = launches;
  for (let i = 0; i < calls.length; i++) if (first[calls[i]] < first[calls[i] + 1]) launched[host.thread[calls[i]]]++;
  return launched;
}

/** The steps of `ProfilerStep#N` annotations in order of time. Empty where the trace has none. */
export function findSteps(graph: Graph): Step[] {
  const { strings, events } = graph.trace;
  const times = launchTimes(graph);
  const spans = outermostAnnotations(graph, (name) => STEP.test(name)).map((event) => {
    const label = strings.text(events.name[event]);
    return { ...spanOf(graph, times, label, event), number: Number(STEP.exec(label)?.[1]) };
  });
  const anyDevice = spans.some(({ deviceOps }) => deviceOps > 0);
  let completion = -Infinity;
  return spans.map((span, i): Step => {
    completion = Math.max(completion, span.end, span.deviceEnd);
    const isWhole = i > 0 || !hasForeignWork(graph, span);
    const complete = isWhole && (span.deviceOps > 0 || !anyDevice) && span.lostLaunches === 0;
    return { ...span, completion, complete };
  });
}

/** Does device work that was launched before the step, or by no call of the trace, end after its start? */
export function hasForeignWork({ device, host }: Graph, { start }: Pick<Span, 'start'>): boolean {
  for (let op = 0; op < device.length; op++) {
    if (device.end[op] <= start) continue;
    const call = device.call[op];
    if (call === -1 || host.start[call] < start) return true;
  }
  return false;
}
