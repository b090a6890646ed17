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
  const op = Int32Array.from(device.event, (_, each) => each).filter((each) => runsIn(device, each, start, end));
  const durNs = Float64Array.from(op, (each) => device.end[each] - device.start[each]);
  const insideNs = Float64Array.from(
    op,
    (each) => Math.min(device.end[each], end) - Math.max(device.start[each], start),
  );
  const path = scope.devicePathNs();
  const slack = slackByOp(scope);
  const ends = Float64Array.from(windows, (window) => window.end);
  const window = Int32Array.from(op, (each) => Math.min(lowerBound(ends, device.end[each]), ends.length - 1));
  let cut = 0;
  for (let row = 0; row < op.length; row++) if (insideNs[row] < durNs[row]) cut++;
  return {
    length: op.length,
    op,
    durNs,
    insideNs,
    pathNs: pick(path, op),
    slackNs: Float64Array.from(op, slack),
    window,
    cut,
  };
}

/** Against the end of the last window. */
function slackByOp(scope: Scope): (op: number) => number {
  const { graph } = scope;
  const terms = scope.terms();
  if (terms === undefined) return () => Infinity;
  const latest = latestMoments(graph, terms[terms.length - 1].end);
  return (op) => slackOf(graph, latest, graph.moments.endOfOp(op));
}
