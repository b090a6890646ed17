import type { Graph } from './graph.ts';
import { annotationLabels } from './labels.ts';

/** Which ops a change is for: by name, by class (`kernel`, `collective`, `copy`, `op`, `call`), by lane, or under an annotation. */
export interface Selector {
  readonly by: 'name' | 'kind' | 'lane' | 'annotation';
  /** A regular expression where `isPattern`, else the exact text. */
  readonly text: string;
  readonly isPattern: boolean;
}

export type Change =
  /** The length of device ops, and the host time inside host ops, times `factor`. */
  | { readonly kind: 'scale'; readonly select: Selector; readonly factor: number }
  /** As if they had not been: device ops with their launch calls, host ops with all that they launch. */
  | { readonly kind: 'remove'; readonly select: Selector }
  /** Every launch takes this long where nothing else is in the way, instead of its typical lag, in ns. */
  | { readonly kind: 'launch-latency'; readonly ns: number }
  /** No host time between top-level ops. */
  | { readonly kind: 'no-host-gaps' }
  /** Collectives hold nothing up but what waits for them by an event. */
  | { readonly kind: 'overlap'; readonly select: Selector }
  /** Runs of kernels shorter than this, launched one after the other, become one graph launch each, in ns. */
  | { readonly kind: 'graph-launch'; readonly shorterThanNs: number };

/** Rows of a graph that a selector takes. */
export interface Selection {
  /** By host op. A host op is taken with all that is nested in it. */
  readonly host: Uint8Array;
  /** By device op. */
  readonly device: Uint8Array;
}

export function select(graph: Graph, selector: Selector): Selection {
  const host = new Uint8Array(graph.host.length);
  const device = new Uint8Array(graph.device.length);
  const matches = matcher(selector);
  switch (selector.by) {
    case 'name':
      markByName(graph, matches, host, device);
      break;
    case 'kind':
      markByKind(graph, matches, host, device);
      break;
    case 'lane':
      for (let op = 0; op < device.length; op++) {
        if (matches(graph.device.lanes[graph.device.lane[op]].name)) device[op] = 1;
      }
      break;
    case 'annotation':
      markUnderAnnotation(graph, matches, host, device);
      break;
  }
  for (let op = 0; op < host.length; op++) {
    if (graph.host.parent[op] !== -1 && host[graph.host.parent[op]] === 1) host[op] = 1;
  }
  return { host, device };
}

function matcher({ text, isPattern }: Selector): (name: string) => boolean {
  const pattern = isPattern ? new RegExp(text) : undefined;
  return (name) => (pattern === undefined ? name === text : pattern.test(name));
}

function markByName(
  { trace, host: hostIndex, device: deviceIndex }: Graph,
  matches: (name: string) => boolean,
  host: Uint8Array,
  device: Uint8Array,
): void {
  const { events, strings } = trace;
  const known = new Int8Array(strings.length).fill(-1);
  const isTaken = (event: number): boolean => {
    const name = events.name[event];
    if (known[name] === -1) known[name] = matches(strings.text(name)) ? 1 : 0;
    return known[name] === 1;
  };
  for (let op = 0; op < host.length; op++) if (isTaken(hostIndex.event[op])) host[op] = 1;
  for (let op = 0; op < device.length; op++) if (isTaken(deviceIndex.event[op])) device[op] = 1;
}

function markByKind(
  { calls, classOf }: Graph,
  matches: (name: string) => boolean,
  host: Uint8Array,
  device: Uint8Array,
): void {
  const [ops, apiCalls] = [matches('op'), matches('call')];
  for (let op = 0; op < host.length; op++) if (Number.isNaN(calls.key[op]) ? ops : apiCalls) host[op] = 1;
  for (let op = 0; op < device.length; op++) if (matches(classOf[op])) device[op] = 1;
}

/** Host ops that start inside such an annotation on their thread, and the device ops whose calls do. */
function markUnderAnnotation(
  { trace, host: hostIndex, device: deviceIndex }: Graph,
  matches: (name: string) => boolean,
  host: Uint8Array,
  device: Uint8Array,
): void {
  const labels = annotationLabels(trace);
  const { events, strings } = trace;
  for (let op = 0; op < host.length; op++) {
    const track = hostIndex.threads[hostIndex.thread[op]].track;
    for (const label of labels.allAt(track, hostIndex.start[op])) {
      if (matches(strings.text(events.name[label]))) host[op] = 1;
    }
  }
  for (let op = 0; op < device.length; op++) {
    if (deviceIndex.call[op] !== -1 && host[deviceIndex.call[op]] === 1) device[op] = 1;
  }
}
