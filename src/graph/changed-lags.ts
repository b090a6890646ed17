import type { Change } from './changes.ts';
import { OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import { momentOfSource, momentsOfSink } from './dependencies.ts';
import { graphRuns } from './graph-runs.ts';
import type { Graph } from './graph.ts';
import type { ChangedConstraints } from './replayer.ts';
import { type Selection, Selectors } from './selectors.ts';
import { unexplainedLimit } from './unexplained.ts';
import { openBetween } from './workers.ts';

const HOST_ORDER = kindCode('host-order');
const THREAD = kindCode('thread');
const LAUNCH = kindCode('launch');
const OVERLAP = kindCode('overlap');
const STREAM_ORDER = kindCode('stream-order');

type Draft = Required<ChangedConstraints>;

/** The constraints after some changes, in order. Unexplained time and waits on other ranks stay as measured. */
export function changeConstraints(
  graph: Graph,
  changes: readonly Change[],
  selectors = new Selectors(graph),
): ChangedConstraints {
  const changed: Draft = {
    from: graph.constraints.from.slice(),
    lag: graph.lag.slice(),
    gone: new Uint8Array(graph.device.length),
  };
  for (const change of changes) apply(graph, change, changed, selectors);
  const { gone, ...rest } = changed;
  return gone.includes(1) ? changed : rest;
}

function apply(graph: Graph, change: Change, changed: Draft, selectors: Selectors): void {
  switch (change.kind) {
    case 'scale':
      scaleRows(graph, lengthRows(graph, selectors.select(change.select)), change.factor, changed.lag);
      break;
    case 'remove':
      remove(graph, selectors.select(change.select), changed);
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
      overlap(graph, selectors.select(change.select), changed);
      break;
    case 'graph-launch':
      launchAsGraphs(graph, change.shorterThanNs, changed);
      break;
  }
}

/** Every stretch between two neighbouring moments of a thread, and the innermost op that is open in it, or −1. */
function eachHostPiece({ constraints, host }: Graph, visit: (constraint: number, open: number) => void): void {
  for (let c = 0; c < constraints.from.length; c++) {
    if (constraints.kind[c] === HOST_ORDER) visit(c, openBetween(host, constraints.from[c]));
  }
}

const isPieceTaken = ({ host, gapAfter }: Selection, from: number, open: number): boolean =>
  open === -1 ? gapAfter[from] === 1 : host[open] === 1;

/**
 * The constraints whose lags are the lengths of what is selected: of device ops, and of the host's time. What overlaps an op may begin
 * once that has come so far (rule 25), so this is a length of the op too. And what a launch call held back is a length of the call.
 */
export function lengthRows(graph: Graph, selection: Selection): Int32Array {
  const { constraints, moments } = graph;
  const rows: number[] = [];
  eachHostPiece(graph, (c, open) => {
    if (isPieceTaken(selection, constraints.from[c], open)) rows.push(c);
  });
  for (let op = 0; op < selection.device.length; op++) {
    if (selection.device[op] === 0) continue;
    const end = moments.endOfOp(op);
    for (let c = constraints.first[end]; c < constraints.first[end + 1]; c++) {
      if (constraints.kind[c] === OWN || constraints.kind[c] === OVERLAP) rows.push(c);
    }
  }
  for (let c = 0; c < constraints.kind.length; c++) {
    if (constraints.kind[c] !== OVERLAP || !moments.isStart(constraints.to[c])) continue;
    if (selection.device[moments.deviceOp(constraints.from[c])] === 1) rows.push(c);
  }
  for (let c = 0; c < constraints.kind.length; c++) {
    if (isHeldByCall(graph, c) && selection.host[moments.hostOp(constraints.from[c])] === 1) rows.push(c);
  }
  return Int32Array.from(rows);
}

/**
 * Whether a launch waited for its own call to come to it: loading a module, a slow driver. The launch lag is counted from the call's begin, so
 * a call far longer than typical holds its op back by its own length, and a faster call would have let it go earlier.
 */
export function isHeldByCall({ constraints, host, lag, moments, time, typical }: Graph, c: number): boolean {
  if (constraints.kind[c] !== LAUNCH || lag[c] <= unexplainedLimit(typical[c])) return false;
  const { from, to } = constraints;
  return Math.min(host.end[moments.hostOp(from[c])], time[to[c]]) - time[from[c]] > unexplainedLimit(typical[c]);
}

/** Whole ns; what the clock inverted stays. */
export function scaleRows(graph: Graph, rows: Int32Array, factor: number, lag: Float64Array): void {
  for (let i = 0; i < rows.length; i++) {
    const kept = keptLag(graph, rows[i]);
    const length = lag[rows[i]] - kept;
    if (length > 0) lag[rows[i]] = kept + Math.round(length * factor);
  }
}

/** What of a lag is no length of the op that it is scaled with: of a launch its typical lag, and what passed behind the call. */
export function keptLag({ constraints, host, moments, time, typical }: Graph, c: number): number {
  if (constraints.kind[c] !== LAUNCH) return 0;
  return typical[c] + Math.max(0, time[constraints.to[c]] - host.end[moments.hostOp(constraints.from[c])]);
}

function remove(graph: Graph, selection: Selection, { lag, gone }: Draft): void {
  const { constraints, moments, launches, device: devices, typical } = graph;
  const { host, device } = selection;
  for (let op = 0; op < device.length; op++) {
    const call = devices.call[op];
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
    if (isPieceTaken(selection, constraints.from[c], open)) lag[c] = 0;
  });
  const anyOrder = constraints.kind.indexOf(STREAM_ORDER);
  const usualGap = anyOrder === -1 ? Infinity : typical[anyOrder];
  for (let op = 0; op < device.length; op++) {
    if (device[op] === 0) continue;
    gone[op] = 1;
    passThrough(op);
  }
  for (let op = 0; op < host.length; op++) if (host[op] === 1) dropWaits(2 * op + 1);
  dropStreamWaits(graph, host, lag);

  /** What came before a removed op still comes before what follows it, as late as it would have without the op. */
  function passThrough(op: number): void {
    const [start, end] = [moments.startOfOp(op), moments.endOfOp(op)];
    let gap = usualGap;
    for (let c = constraints.first[start]; c < constraints.first[start + 1]; c++) {
      if (constraints.kind[c] === STREAM_ORDER) gap = typical[c];
    }
    for (let c = constraints.first[start]; c < constraints.first[start + 1]; c++) {
      const isPlain = constraints.kind[c] === STREAM_ORDER || constraints.kind[c] === LAUNCH;
      lag[c] = Math.min(lag[c], isPlain ? 0 : Math.max(0, typical[c] - gap));
    }
    for (let c = constraints.first[end]; c < constraints.first[end + 1]; c++) {
      lag[c] = Math.min(lag[c], 0);
    }
  }

  /** The end of a call that is gone comes when its thread comes to it. */
  function dropWaits(end: number): void {
    for (let c = constraints.first[end]; c < constraints.first[end + 1]; c++) {
      if (constraints.kind[c] !== HOST_ORDER && constraints.kind[c] !== THREAD) lag[c] = -Infinity;
    }
  }
}

/** What a stream waited for because of a call that is gone holds it no more. */
function dropStreamWaits(graph: Graph, gone: Uint8Array, lag: Float64Array): void {
  const { edges, calls, constraints, moments, device, graphLaunches } = graph;
  for (const edge of edges) {
    if (edge.source === undefined || edge.sinkCall !== -1) continue;
    const call = calls.find(edge.wait, Infinity);
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
    if (constraints.kind[c] === LAUNCH && lag[c] > 0) lag[c] = Math.max(0, lag[c] - typical[c] + ns);
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
