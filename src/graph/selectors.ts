import { matchesName } from '../base/matches.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { type Labels, annotationLabels, pythonLabels } from './labels.ts';
import { openBetween } from './workers.ts';

/**
 * Which ops are meant: by name; by class (`kernel`, `collective`, `copy`, `op`, `call`); by lane; under an annotation; or while a
 * Python frame is the innermost one.
 */
export interface Selector {
  readonly by: 'name' | 'kind' | 'lane' | 'annotation' | 'python';
  /** A regular expression where `isPattern`, else the exact text. */
  readonly text: string;
  readonly isPattern: boolean;
}

/** Rows of a graph that a selector takes: 1 where taken. */
export interface Selection {
  /** By host op. */
  readonly host: Uint8Array;
  /** By device op. */
  readonly device: Uint8Array;
  /** By moment of the host: the time after it, up to the next moment of its thread, where no op is open. */
  readonly gapAfter: Uint8Array;
}

const HOST_ORDER = kindCode('host-order');

/** Answers selectors; labels are read from the trace once. */
export class Selectors {
  readonly #graph: Graph;
  #annotations: Labels | undefined;
  #python: Labels | undefined;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** O(events) for the first selector of a kind, then O(ops). */
  select(selector: Selector): Selection {
    const { host, device, moments } = this.#graph;
    const selection: Selection = {
      host: new Uint8Array(host.length),
      device: new Uint8Array(device.length),
      gapAfter: new Uint8Array(moments.host),
    };
    const matches = matcher(selector);
    switch (selector.by) {
      case 'name':
        this.#markByName(matches, selection);
        break;
      case 'kind':
        this.#markByKind(matches, selection);
        break;
      case 'lane':
        for (let op = 0; op < device.length; op++) {
          if (matches(device.lanes[device.lane[op]].name)) selection.device[op] = 1;
        }
        break;
      case 'annotation':
        this.#annotations ??= annotationLabels(this.#graph.trace);
        this.#markUnder(this.#annotations, (labels, track, time) => labels.allAt(track, time), matches, selection);
        break;
      case 'python':
        this.#python ??= pythonLabels(this.#graph.trace);
        this.#markUnder(this.#python, innermost, matches, selection);
        break;
    }
    return selection;
  }

  /** A host op that is named is taken with all that is nested in it. */
  #markByName(matches: (name: string) => boolean, { host, device }: Selection): void {
    const { trace, host: hosts, device: devices } = this.#graph;
    const { events, strings } = trace;
    const known = new Int8Array(strings.length).fill(-1);
    const isTaken = (event: number): boolean => {
      const name = events.name[event];
      if (known[name] === -1) known[name] = matches(strings.text(name)) ? 1 : 0;
      return known[name] === 1;
    };
    for (let op = 0; op < host.length; op++) {
      const around = hosts.parent[op];
      if (isTaken(hosts.event[op]) || (around !== -1 && host[around] === 1)) host[op] = 1;
    }
    for (let op = 0; op < device.length; op++) if (isTaken(devices.event[op])) device[op] = 1;
  }

  #markByKind(matches: (name: string) => boolean, { host, device }: Selection): void {
    const { calls, classOf } = this.#graph;
    const [ops, apiCalls] = [matches('op'), matches('call')];
    for (let op = 0; op < host.length; op++) if (Number.isNaN(calls.key[op]) ? ops : apiCalls) host[op] = 1;
    for (let op = 0; op < device.length; op++) if (matches(classOf[op])) device[op] = 1;
  }

  /** Host ops that start under such a label on their thread, device ops whose calls do, and gaps whose middle lies there. */
  #markUnder(
    labels: Labels,
    labelsAt: (labels: Labels, track: number, time: number) => readonly number[],
    matches: (name: string) => boolean,
    { host, device, gapAfter }: Selection,
  ): void {
    const { trace, host: hosts, device: devices, constraints, time } = this.#graph;
    const { events, strings } = trace;
    const isUnder = (thread: number, at: number): boolean =>
      labelsAt(labels, hosts.threads[thread].track, at).some((label) => matches(strings.text(events.name[label])));
    for (let op = 0; op < host.length; op++) if (isUnder(hosts.thread[op], hosts.start[op])) host[op] = 1;
    for (let op = 0; op < device.length; op++) {
      if (devices.call[op] !== -1 && host[devices.call[op]] === 1) device[op] = 1;
    }
    for (let c = 0; c < constraints.from.length; c++) {
      const from = constraints.from[c];
      if (constraints.kind[c] !== HOST_ORDER || openBetween(hosts, from) !== -1) continue;
      if (isUnder(hosts.thread[from >> 1], (time[from] + time[constraints.to[c]]) / 2)) gapAfter[from] = 1;
    }
  }
}

const innermost = (labels: Labels, track: number, time: number): readonly number[] => {
  const label = labels.innermostAt(track, time);
  return label === -1 ? [] : [label];
};

function matcher({ text, isPattern }: Selector): (name: string) => boolean {
  const pattern = isPattern ? new RegExp(text) : undefined;
  return (name) => (pattern === undefined ? name === text : matchesName(pattern, name));
}

export const isEmptySelection = ({ host, device, gapAfter }: Selection): boolean =>
  !host.includes(1) && !device.includes(1) && !gapAfter.includes(1);
