import { matchesName } from '../base/matches.ts';
import type { DeviceIndex } from './device.ts';
import type { Graph } from './graph.ts';
import {
  type Span,
  type Step,
  annotations,
  findSteps,
  launchTimes,
  launchesByThread,
  outermostAnnotations,
  spanOf,
} from './steps.ts';
import type { WindowRequest } from './window-request.ts';

/** A stretch of the run that is asked about. All times in ns since the trace's origin. */
export interface Window {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** The end of the host's part. */
  readonly hostEnd: number;
  /** The latest end of the device ops launched inside; −Infinity without any. */
  readonly deviceEnd: number;
  readonly complete: boolean;
  /** Row in `host.threads`, or −1. */
  readonly thread: number;
  /** The device op where the walk begins, or −1 to begin on the thread. */
  readonly lastOp: number;
  /** An annotation says that the thread was at work on it all the time. */
  readonly annotated: boolean;
  /** What its bounds are made of, so that they can be found again when moments move. */
  readonly bounds: Bounds;
}

/** `event` and `before` are annotations, as events. */
export type Bounds =
  /** From the completion of the annotation before (−1: from the annotation's own start) to its completion. */
  | { readonly kind: 'annotation'; readonly event: number; readonly before: number }
  /** From the completion of `before` to the start of the annotation `event`. */
  | { readonly kind: 'between'; readonly event: number; readonly before: number }
  | { readonly kind: 'whole' }
  | { readonly kind: 'range' };

export type Windows =
  | { readonly ok: true; readonly windows: readonly Window[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const BETWEEN_NS = 1_000_000;

/** The windows of a request, in order of time; each begins where the one before it ends. `stepsOf`: all steps, where they are known already. */
export function findWindows(
  graph: Graph,
  request: WindowRequest,
  stepsOf: () => readonly Step[] = () => findSteps(graph),
): Windows {
  if (graph.host.length === 0 && graph.device.length === 0) {
    return { ok: false, reason: 'the trace has no host or device ops' };
  }
  switch (request.kind) {
    case 'default':
      return defaultWindows(graph, stepsOf());
    case 'steps':
      return stepWindows(graph, stepsOf(), request.first, request.last);
    case 'annotation':
      return annotationWindows(graph, request);
    case 'range':
      return rangeWindow(graph, request.startNs, request.endNs);
  }
}

function defaultWindows(graph: Graph, steps: readonly Step[]): Windows {
  if (steps.length === 0) return { ok: true, windows: [wholeTrace(graph)], notes: [] };
  const complete = steps.filter((step) => step.complete);
  const taken = complete.length > 0 ? complete : steps;
  const notes = complete.length > 0 ? [] : ['no step is complete in this trace: all of them are taken'];
  // All from the first to the last, so that the windows tile; by place, since numbers may begin again.
  const chosen = steps.slice(steps.indexOf(taken[0]), steps.indexOf(taken[taken.length - 1]) + 1);
  const found = windowsOfSteps(graph, steps, chosen);
  return found.ok ? { ...found, notes: [...notes, ...found.notes] } : found;
}

function stepWindows(graph: Graph, steps: readonly Step[], first: number, last: number): Windows {
  if (steps.length === 0) return { ok: false, reason: 'the trace has no ProfilerStep annotations' };
  const numbers = steps.map((step) => step.number);
  const isAsked = (step: Step): boolean => step.number >= first && step.number <= last;
  const begin = steps.findIndex(isAsked);
  if (begin === -1) {
    return {
      ok: false,
      reason: `the trace has no such step; it has ${Math.min(...numbers)} to ${Math.max(...numbers)}`,
    };
  }
  // Where numbers begin again, the first run of those asked for: windows must tile.
  const behind = steps.findIndex((step, i) => i > begin && !isAsked(step));
  const found = windowsOfSteps(graph, steps, steps.slice(begin, behind === -1 ? undefined : behind));
  const more = behind === -1 ? 0 : steps.slice(behind).filter(isAsked).length;
  const again = more > 0 ? [`${more} later steps have the same numbers; use --range for them`] : [];
  return found.ok ? { ...found, notes: [...again, ...found.notes] } : found;
}

/** `chosen` is a run of `steps`, in order of time. */
function windowsOfSteps(graph: Graph, steps: readonly Step[], chosen: readonly Step[]): Windows {
  const windows: Window[] = [];
  for (const step of chosen) {
    const before = steps[steps.indexOf(step) - 1];
    const start = before === undefined ? step.start : before.completion;
    const gap = step.start - start;
    const thread = threadOf(graph, step.event);
    if (gap > BETWEEN_NS && windows.length > 0) {
      windows.push(between(start, step.start, thread, step.event, before.event));
    }
    const from = gap > BETWEEN_NS ? step.start : start;
    const end = Math.max(from, step.completion);
    const earlier = before === undefined || gap > BETWEEN_NS ? -1 : before.event;
    windows.push(windowOf(graph, step, thread, from, end, step.complete, earlier));
  }
  const notes =
    chosen.some((step) => !step.complete) && chosen.some((step) => step.complete)
      ? [
          `steps that are not complete are among them: ${chosen
            .filter((step) => !step.complete)
            .map((step) => step.label)
            .join(', ')}`,
        ]
      : [];
  return { ok: true, windows, notes };
}

const between = (start: number, end: number, thread: number, event: number, before: number): Window => ({
  label: 'between',
  start,
  end,
  hostEnd: end,
  deviceEnd: -Infinity,
  complete: true,
  thread,
  lastOp: -1,
  annotated: false,
  bounds: { kind: 'between', event, before },
});

/** The window of a span, from `start` to `end`. `before`: the annotation whose completion it begins at, or −1. */
export function windowOf(
  graph: Graph,
  span: Span,
  thread: number,
  start: number,
  end: number,
  complete: boolean,
  before: number,
): Window {
  const { label, deviceEnd } = span;
  const bounds: Bounds = { kind: 'annotation', event: span.event, before };
  const lastOp = deviceEnd >= span.end && deviceEnd === end ? opEndingAt(graph, span) : -1;
  return { label, start, end, hostEnd: span.end, deviceEnd, complete, thread, lastOp, annotated: true, bounds };
}

/** Of the device ops launched in a span, the one that ended last (the latest row of equals). */
function opEndingAt({ device, host }: Graph, { start, end, deviceEnd }: Span): number {
  for (let op = device.length - 1; op >= 0; op--) {
    if (device.end[op] !== deviceEnd || device.call[op] === -1) continue;
    const called = host.start[device.call[op]];
    if (called >= start && called < end) return op;
  }
  return -1;
}

/** The annotation's thread, or the main thread where that one has no host ops. */
function threadOf(graph: Graph, event: number): number {
  const { trace, host } = graph;
  const thread = host.threads.findIndex(({ track }) => track === trace.events.track[event]);
  return thread === -1 ? mainThread(graph) : thread;
}

function annotationWindows(graph: Graph, request: Extract<WindowRequest, { kind: 'annotation' }>): Windows {
  const pattern = request.match ? new RegExp(request.name) : undefined;
  const matches = (name: string): boolean =>
    pattern === undefined ? name === request.name : matchesName(pattern, name);
  const all = annotations(graph, matches);
  const wanted = request.match ? `matches /${request.name}/` : `is named ${JSON.stringify(request.name)}`;
  if (all.length === 0) return { ok: false, reason: `no host annotation ${wanted}` };
  const isIndexed = request.first !== undefined;
  const [first, last] = [request.first ?? 0, request.last ?? request.first ?? Infinity];
  const chosen = isIndexed ? all.slice(first, last + 1) : outermostAnnotations(graph, matches);
  if (chosen.length === 0) {
    return { ok: false, reason: `only ${all.length} host annotations match: instances 0 to ${all.length - 1}` };
  }
  const times = launchTimes(graph);
  const windows: Window[] = [];
  for (const event of chosen) {
    const span = spanOf(graph, times, labelOf(graph, event), event);
    const end = Math.max(span.end, span.deviceEnd);
    const before = windows.at(-1);
    const thread = threadOf(graph, event);
    let start = span.start;
    let earlier = -1;
    if (before !== undefined) {
      const { bounds } = before;
      const last = bounds.kind === 'annotation' ? bounds.event : -1;
      if (start - before.end > BETWEEN_NS) windows.push(between(before.end, start, thread, event, last));
      else [start, earlier] = [before.end, last];
    }
    windows.push(windowOf(graph, span, thread, start, Math.max(start, end), true, earlier));
  }
  return { ok: true, windows, notes: [] };
}

const labelOf = ({ trace }: Graph, event: number): string => trace.strings.text(trace.events.name[event]);

function rangeWindow(graph: Graph, asked: number, until: number): Windows {
  const whole = wholeTrace(graph);
  if (until <= whole.start || asked >= whole.end) {
    return { ok: false, reason: 'nothing runs in that range' };
  }
  const start = Math.max(asked, whole.start);
  const end = Math.min(until, whole.end);
  const notes = start > asked || end < until ? ['the range is cut to what the trace holds'] : [];
  const { device } = graph;
  let lastOp = -1;
  for (let op = 0; op < device.length && device.start[op] < end; op++) {
    if (device.end[op] <= start) continue;
    if (lastOp === -1 || Math.min(device.end[op], end) >= Math.min(device.end[lastOp], end)) lastOp = op;
  }
  const hostBusyUntil = lastHostMoment(graph, whole.thread, end);
  const deviceEnd = lastOp === -1 ? -Infinity : Math.min(device.end[lastOp], end);
  if (deviceEnd < hostBusyUntil) lastOp = -1;
  const window: Window = {
    label: 'range',
    start,
    end,
    hostEnd: end,
    deviceEnd,
    complete: true,
    thread: whole.thread,
    lastOp,
    annotated: false,
    bounds: { kind: 'range' },
  };
  return { ok: true, windows: [window], notes };
}

/** `limit` where the thread is inside an op then; else when its last op before it ended. */
function lastHostMoment({ host }: Graph, thread: number, limit: number): number {
  if (thread === -1) return -Infinity;
  let last = -Infinity;
  for (const op of host.threads[thread].ops) {
    if (host.start[op] >= limit) break;
    last = Math.max(last, Math.min(host.end[op], limit));
  }
  return last;
}

/** From the earliest host or device op to the latest end of device ops and of the main thread. */
export function wholeTrace(graph: Graph): Window {
  const { host, device } = graph;
  const thread = mainThread(graph);
  const start = Math.min(host.length > 0 ? host.start[0] : Infinity, device.length > 0 ? device.start[0] : Infinity);
  const hostEnd = thread === -1 ? -Infinity : lastHostMoment(graph, thread, Infinity);
  const lastOp = latestOp(device);
  const deviceEnd = lastOp === -1 ? -Infinity : device.end[lastOp];
  const end = Math.max(hostEnd, deviceEnd);
  return {
    label: 'whole trace',
    start,
    end,
    hostEnd: hostEnd === -Infinity ? end : hostEnd,
    deviceEnd,
    complete: true,
    thread,
    lastOp: deviceEnd >= hostEnd ? lastOp : -1,
    annotated: false,
    bounds: { kind: 'whole' },
  };
}

function latestOp({ length, end }: DeviceIndex): number {
  let latest = -1;
  for (let op = 0; op < length; op++) if (latest === -1 || end[op] >= end[latest]) latest = op;
  return latest;
}

/** The thread with the most launches; without launches, the one with most time in ops. */
export function mainThread(graph: Graph): number {
  const { host } = graph;
  let best = -1;
  let most = -1;
  const anyLaunch = graph.coverage.launches.linked > 0;
  const launched = launchesByThread(graph);
  host.threads.forEach(({ ops }, thread) => {
    const weight = anyLaunch ? launched[thread] : opTime(graph, ops);
    if (weight > most) [best, most] = [thread, weight];
  });
  return best;
}

function opTime({ host }: Graph, ops: Int32Array): number {
  let total = 0;
  for (const op of ops) if (host.parent[op] === -1) total += host.end[op] - host.start[op];
  return total;
}
