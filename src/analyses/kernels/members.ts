import { lowerBound } from '../../base/bisect.ts';
import { pick } from '../../base/pick.ts';
import { runsIn } from '../../graph/runs-in.ts';
import { latestMoments, slackOf } from '../../graph/slack.ts';
import type { Scope } from '../scope.ts';

/** The device ops that run in the windows, by columns; rows ascend by start. */
export interface Members {
  readonly length: number;
  /** Device op. */
  readonly op: Int32Array;
  /** Its whole length, in ns. */
  readonly durNs: Float64Array;
  /** What of it lies in the windows. */
  readonly insideNs: Float64Array;
  /** Time of the path that runs in it. */
  readonly pathNs: Float64Array;
  /** Infinity where nothing depends on it. */
  readonly slackNs: Float64Array;
  /** The window in which it ends; the last one where it ends later. */
  readonly window: Int32Array;
  /** How many a border of the windows cuts. */
  readonly cut: number;
}

/** O(n log windows + moments + constraints). */
export function gatherMembers(scope: Scope): Members {
  const { graph, start, end, windows } = scope;
  const { device } = graph;
  const op = opsRunning(scope);
  const { length } = op;
  const durNs = new Float64Array(length);
  const insideNs = new Float64Array(length);
  const slackNs = new Float64Array(length);
  const window = new Int32Array(length);
  const slack = slackByOp(scope);
  const ends = Float64Array.from(windows, (each) => each.end);
  let cut = 0;
  for (let row = 0; row < length; row++) {
    const [from, to] = [device.start[op[row]], device.end[op[row]]];
    durNs[row] = to - from;
    insideNs[row] = Math.min(to, end) - Math.max(from, start);
    if (insideNs[row] < durNs[row]) cut++;
    slackNs[row] = slack(op[row]);
    window[row] = Math.min(lowerBound(ends, to), ends.length - 1);
  }
  return { length, op, durNs, insideNs, pathNs: pick(scope.devicePathNs(), op), slackNs, window, cut };
}

function opsRunning({ graph: { device }, start, end }: Scope): Int32Array {
  const ops = new Int32Array(device.length);
  let length = 0;
  for (let op = 0; op < device.length; op++) if (runsIn(device, op, start, end)) ops[length++] = op;
  return ops.slice(0, length);
}

/** Against the end of the last window. */
function slackByOp(scope: Scope): (op: number) => number {
  const { graph } = scope;
  const terms = scope.terms();
  if (terms === undefined) return () => Infinity;
  const latest = latestMoments(graph, terms[terms.length - 1].end);
  return (op) => slackOf(graph, latest, graph.moments.endOfOp(op));
}
