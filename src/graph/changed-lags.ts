import { type Change, type Selection, select } from './changes.ts';
import { OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { momentOfSource, momentsOfSink } from './dependencies.ts';
import { graphRuns } from './graph-runs.ts';
import { openBetween } from './workers.ts';

const HOST_ORDER = kindCode('host-order');
const LAUNCH = kindCode('launch');
const OVERLAP = kindCode('overlap');
const STREAM_ORDER = kindCode('stream-order');

/** The columns of a graph's constraints that a change may touch. A lag of −∞ is a constraint that is no more. */
export interface ChangedConstraints {
  readonly from: Int32Array;
  readonly lag: Float64Array;
}

/** The constraints after some changes, in order. Unexplained time and waits on other ranks stay as measured. */
export function changeConstraints(graph: Graph, changes: readonly Change[]): ChangedConstraints {
  const changed: ChangedConstraints = { from: graph.constraints.from.slice(), lag: graph.lag.slice() };
  for (const change of changes) apply(graph, change, changed);
  return changed;
}

function apply(graph: Graph, change: Change, changed: ChangedConstraints): void {
  switch (change.kind) {
    case 'scale':
      scale(graph, select(graph, change.select), change.factor, changed);
      break;
    case 'remove':
      remove(graph, select(graph, change.select), changed);
      break;
    case 'launch-latency':
      setLaunchLatency(graph, change.ns, changed);
      break;
    case 'no-host-gaps':
      eachHostPiece(graph, (c, open) => {
        if (open === -1) changed.lag[c] = 0;
      });
      break;
    case 'overlap':
      overlap(graph, select(graph, change.select), changed);
      break;
    case 'graph-launch':
      launchAsGraphs(graph, change.shorterThanNs, changed);
      break;
  }
}

/** Every stretch between two neighbouring moments of a thread, and the innermost op that is open in it, or −1. */
function eachHostPiece(graph: Graph, visit: (constraint: number, open: number) => void): void {
  const { constraints, host } = graph;
  for (let c = 0; c < constraints.from.length; c++) {
    if (constraints.kind[c] === HOST_ORDER) visit(c, openBetween(host, constraints.from[c]));
  }
}

function scale(graph: Graph, { host, device }: Selection, factor: number, { lag }: ChangedConstraints): void {
  const { constraints, moments } = graph;
  eachHostPiece(graph, (c, open) => {
    if (open !== -1 && host[open] === 1) lag[c] = Math.round(lag[c] * factor);
  });
  for (let c = 0; c < lag.length; c++) {
    const to = constraints.to[c];
    if (moments.isHost(to) || moments.isJoin(to) || moments.isStart(to)) continue;
    const isLength = constraints.kind[c] === OWN || constraints.kind[c] === OVERLAP;
    if (isLength && device[moments.deviceOp(to)] === 1) lag[c] = Math.round(lag[c] * factor);
  }
}

function remove(graph: Graph, { host, device }: Selection, { lag }: ChangedConstraints): void {
  const { constraints, moments, launches, device: deviceIndex } = graph;
  for (let op = 0; op < device.length; op++) {
    const call = deviceIndex.call[op];
    if (call !== -1 && host[call] === 1) device[op] = 1;
  }
  // A launch goes with its ops, once all of them are gone.
  for (let call = 0; call < host.length; call++) {
    if (launches.first[call] === launches.first[call + 1]) continue;
    let isGone = true;
    for (let i = launches.first[call]; i < launches.first[call + 1]; i++) {
      if (device[launches.ops[i]] === 0) isGone = false;
    }
    if (isGone) host[call] = 1;
  }
  eachHostPiece(graph, (c, open) => {
    if (open !== -1 && host[open] === 1) lag[c] = 0;
  });
  for (let c = 0; c < lag.length; c++) {
    const to = constraints.to[c];
    if (moments.isHost(to) || moments.isJoin(to) || device[moments.deviceOp(to)] === 0) continue;
    // What came before an op still comes before what follows it, at no cost of its own.
    if (constraints.kind[c] === OVERLAP && !moments.isStart(to)) lag[c] = -Infinity;
    else lag[c] = Math.min(lag[c], 0);
  }
  dropWaitsOf(graph, host, lag);
}

/** Waits and synchronisations of calls that are gone hold nothing any more. */
function dropWaitsOf(graph: Graph, gone: Uint8Array, lag: Float64Array): void {
  const { edges, calls, constraints, moments, device, graphLaunches } = graph;
  for (const edge of edges) {
    if (edge.source === undefined) continue;
    const call = edge.sinkCall !== -1 ? edge.sinkCall : calls.find(edge.wait, Infinity);
    if (call === -1 || gone[call] === 0) continue;
    const from = momentOfSource(moments, edge.source);
    for (const to of momentsOfSink(device, graphLaunches, moments, edge)) {
      for (let c = constraints.first[to]; c < constraints.first[to + 1]; c++) {
        if (constraints.from[c] === from && constraints.kind[c] === kindCode(edge.kind)) lag[c] = -Infinity;
      }
    }
  }
}

/** The typical lag of each launch becomes another; what came on top of it stays. */
function setLaunchLatency({ constraints, typical }: Graph, ns: number, { lag }: ChangedConstraints): void {
  for (let c = 0; c < lag.length; c++) {
    if (constraints.kind[c] !== LAUNCH) continue;
    lag[c] = lag[c] >= typical[c] ? lag[c] - typical[c] + ns : Math.min(lag[c], ns);
  }
}

/** What followed a collective on its own stream follows what came before it instead. */
function overlap(graph: Graph, { device }: Selection, { from, lag }: ChangedConstraints): void {
  const { constraints, moments, classOf } = graph;
  for (let c = 0; c < lag.length; c++) {
    if (constraints.kind[c] !== STREAM_ORDER || moments.isHost(from[c])) continue;
    const held = moments.deviceOp(constraints.to[c]);
    let before = from[c];
    while (before !== -1 && isOverlapped(before) && classOf[held] !== 'collective') {
      before = streamPredecessor(graph, before);
    }
    if (before === -1) lag[c] = -Infinity;
    else from[c] = before;
  }

  function isOverlapped(moment: number): boolean {
    const op = moments.deviceOp(moment);
    return device[op] === 1 && classOf[op] === 'collective';
  }
}

/** The end that an op's start follows on its stream, or −1. */
function streamPredecessor({ constraints, moments }: Graph, end: number): number {
  const start = moments.startOfOp(moments.deviceOp(end));
  for (let c = constraints.first[start]; c < constraints.first[start + 1]; c++) {
    if (constraints.kind[c] === STREAM_ORDER) return constraints.from[c];
  }
  return -1;
}

/** The host's way from the first launch of a run to its last is gone; its kernels follow each other as nodes of one graph. */
function launchAsGraphs(graph: Graph, shorterThanNs: number, { from, lag }: ChangedConstraints): void {
  const { constraints, moments } = graph;
  for (const run of graphRuns(graph, shorterThanNs)) {
    for (const c of run.hostPieces) lag[c] = 0;
    for (const op of run.ops.slice(1)) {
      const start = moments.startOfOp(op);
      for (let c = constraints.first[start]; c < constraints.first[start + 1]; c++) {
        if (constraints.kind[c] === LAUNCH) from[c] = 2 * run.firstCall;
      }
    }
  }
}
