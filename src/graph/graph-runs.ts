import { Api } from './api-names.ts';
import { kindCode } from './constraints.ts';
import type { Graph } from './graph.ts';
import { endOf } from './host.ts';

/** Kernels that one graph launch could put on the device instead of a launch each. */
export interface GraphRun {
  readonly firstCall: number;
  /** Device ops by launch. */
  readonly ops: readonly number[];
  /** Constraints: the host's stretches from the end of the first call to the end of the last. */
  readonly hostPieces: readonly number[];
}

const HOST_ORDER = kindCode('host-order');
/** Calls that end a run: what they do cannot be part of a graph, or must see what came before. */
const BREAKS =
  Api.copy |
  Api.record |
  Api.streamWait |
  Api.eventSync |
  Api.streamSync |
  Api.deviceSync |
  Api.allocate |
  Api.graphLaunch;

/** So long a thread may be in no op within a run: beyond it, it does something that a graph does not replace, such as loading data. */
const LONGEST_GAP_NS = 100_000;

/** Runs of two or more launches of one thread into one lane, of kernels shorter than `shorterThanNs`, with nothing between that breaks them. */
export function graphRuns(graph: Graph, shorterThanNs: number): GraphRun[] {
  const { host, calls, launches, device, classOf } = graph;
  const runs: GraphRun[] = [];
  for (const thread of host.threads) {
    const places = new Map<number, number>();
    thread.sequence.forEach((moment, place) => places.set(moment, place));
    let run: number[] = [];
    let idleSince = -Infinity;
    for (const op of thread.ops) {
      if (host.parent[op] === -1) {
        if (host.start[op] - idleSince > LONGEST_GAP_NS) close();
        idleSince = host.end[op];
      }
      const api = calls.api[op];
      const opens = launches.first[op] < launches.first[op + 1];
      if ((api & BREAKS) !== 0) close();
      else if (opens) {
        const first = launches.ops[launches.first[op]];
        const isSmall = launches.first[op + 1] - launches.first[op] === 1 && classOf[first] === 'kernel';
        if (!isSmall || device.end[first] - device.start[first] >= shorterThanNs) close();
        else {
          const last = run.at(-1);
          if (last !== undefined && device.lane[launches.ops[launches.first[last]]] !== device.lane[first]) close();
          run.push(op);
        }
      }
    }
    close();

    function close(): void {
      const [first, last] = [run[0], run.at(-1)];
      if (first !== undefined && last !== undefined && run.length > 1) {
        const ops = run.map((call) => launches.ops[launches.first[call]]);
        runs.push({
          firstCall: first,
          ops,
          hostPieces: piecesBetween(
            graph,
            thread.sequence,
            places.get(endOf(first)) ?? 0,
            places.get(endOf(last)) ?? 0,
          ),
        });
      }
      run = [];
    }
  }
  return runs;
}

/** The stretches between two places of a thread's sequence, as constraints. */
function piecesBetween({ constraints }: Graph, sequence: Int32Array, from: number, to: number): number[] {
  const pieces: number[] = [];
  for (let i = from + 1; i <= to; i++) {
    const moment = sequence[i];
    for (let c = constraints.first[moment]; c < constraints.first[moment + 1]; c++) {
      if (constraints.kind[c] === HOST_ORDER) pieces.push(c);
    }
  }
  return pieces;
}
