import { lowerBound } from '../base/bisect.ts';
import { ColBuilder } from '../trace/columns.ts';
import { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import { callersAt } from './callers.ts';
import type { Graph } from './graph.ts';
import type { Labels } from './labels.ts';
import { annotations } from './steps.ts';

/** What annotations launched, by instance in compressed rows. */
export interface AnnotatedWork {
  /** Host annotations, as events, in order of time. */
  readonly instances: Int32Array;
  /** Device ops of instance `i`: `ops[first[i]]` … `ops[first[i + 1] − 1]`, ascending. */
  readonly first: Int32Array;
  readonly ops: Int32Array;
  /** 1 where a worker launched it while the annotation's thread waited for that worker. */
  readonly byWorker: Uint8Array;
  /** By device op: 1 where any annotation launched it. */
  readonly isLabelled: Uint8Array;
}

/**
 * A device op belongs to all annotations around its launch call: those of the call's thread, and, where that thread worked for another one
 * that stood still for it (a backward pass), those of that one at the time. `labels`: the host's annotations. O(ops × depth).
 */
export function annotatedWork(graph: Graph, labels: Labels): AnnotatedWork {
  const { host, device } = graph;
  const instances = hostAnnotations(graph);
  const placeOf = new Int32Array(graph.trace.events.length).fill(-1);
  for (let at = 0; at < instances.length; at++) placeOf[instances[at]] = at;
  const callerOf = callersAt(graph);
  const pairs = {
    at: new ColBuilder(Int32Array),
    op: new ColBuilder(Int32Array),
    byWorker: new ColBuilder(Uint8Array),
  };
  const isLabelled = new Uint8Array(device.length);
  const add = (op: number, track: number, time: number, byWorker: number): void => {
    const around = labels.allAt(track, time);
    for (let i = 0; i < around.length; i++) {
      const at = placeOf[around[i]];
      if (at === -1) continue;
      pairs.at.push(at);
      pairs.op.push(op);
      pairs.byWorker.push(byWorker);
      isLabelled[op] = 1;
    }
  };
  for (let op = 0; op < device.length; op++) {
    const call = device.call[op];
    if (call === -1) continue;
    const time = host.start[call];
    add(op, host.threads[host.thread[call]].track, time, 0);
    const caller = callerOf(host.thread[call], time);
    if (caller !== -1) add(op, host.threads[caller].track, time, 1);
  }
  return { instances, ...packed(pairs, instances.length), isLabelled };
}

/** As events, in order of time. */
export const hostAnnotations = (graph: Graph): Int32Array => Int32Array.from(annotations(graph, () => true));

interface Pairs {
  readonly at: ColBuilder<Int32Array>;
  readonly op: ColBuilder<Int32Array>;
  readonly byWorker: ColBuilder<Uint8Array>;
}

function packed({ at, op, byWorker }: Pairs, count: number): Pick<AnnotatedWork, 'first' | 'ops' | 'byWorker'> {
  const first = new Int32Array(count + 1);
  for (let pair = 0; pair < at.length; pair++) first[at.get(pair) + 1]++;
  for (let place = 0; place < count; place++) first[place + 1] += first[place];
  const next = first.slice();
  const ops = new Int32Array(at.length);
  const worker = new Uint8Array(at.length);
  for (let pair = 0; pair < at.length; pair++) {
    const cell = next[at.get(pair)]++;
    ops[cell] = op.get(pair);
    worker[cell] = byWorker.get(pair);
  }
  return { first, ops, byWorker: worker };
}

/** A row of category `gpu_user_annotation`: one a stream, cut to what that stream ran of the annotation. */
export interface DrawnRow {
  readonly event: number;
  readonly device: number;
  /** Of the host's annotation, or −1. */
  readonly externalId: number;
}

export function drawnAnnotations({ trace }: Graph): DrawnRow[] {
  const { events, categories, tracks, device } = trace;
  const found: DrawnRow[] = [];
  const isDrawn = categories.map(({ kind }) => kind === RowKind.gpuAnnotation);
  if (!isDrawn.includes(true)) return found;
  for (let e = 0; e < events.length; e++) {
    if (!isDrawn[events.category[e]] || events.phase[e] > Phase.begin || (events.flags[e] & RowFlag.noTiming) !== 0) {
      continue;
    }
    const row = lowerBound(device.event, e);
    const isKnown = row < device.event.length && device.event[row] === e;
    const { pid } = tracks[events.track[e]];
    const written = isKnown ? device.device[row] : -1;
    found.push({
      event: e,
      device: written >= 0 ? written : /^\d{1,3}$/.test(pid) ? Number(pid) : 0,
      externalId: isKnown ? device.externalId[row] : -1,
    });
  }
  return found;
}
