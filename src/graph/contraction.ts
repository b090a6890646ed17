import type { ConstraintSet } from './constraint-set.ts';
import type { Graph } from './graph.ts';

/**
 * A graph in which every chain of moments that only hold one another is one constraint, as long as the chain: most moments are held by the
 * one before them on their thread alone, and hold only the one behind them. What is left are joints, in an order in which every constraint
 * goes forward. O(moments + constraints).
 */
export class Contraction {
  /** By moment: its joint, or −1. */
  readonly jointOf: Int32Array;
  /** By joint: when it came, in ns since the trace's origin. */
  readonly measured: Float64Array;
  /** The constraints on joint `j` are `first[j]` … `first[j + 1] − 1`. */
  readonly first: Int32Array;
  /** By constraint: the joint that must have come, and the lag, in ns. */
  readonly from: Int32Array;
  readonly lag: Float64Array;
  /** By constraint of the graph: the one that it went into, or −1 where no joint depends on it. */
  readonly rowOf: Int32Array;

  /** `wanted`: moments that stay. */
  constructor({ constraints, order, time, lag }: Graph, wanted: Int32Array) {
    const isJoint = findJoints(constraints, time.length, wanted);
    const { first, from } = constraints;
    let joints = 0;
    let rows = 0;
    for (let i = 0; i < order.length; i++) {
      if (isJoint[order[i]] === 0) continue;
      joints++;
      rows += first[order[i] + 1] - first[order[i]];
    }
    this.jointOf = new Int32Array(time.length).fill(-1);
    this.measured = new Float64Array(joints);
    this.first = new Int32Array(joints + 1);
    this.from = new Int32Array(rows);
    this.lag = new Float64Array(rows);
    this.rowOf = new Int32Array(from.length).fill(-1);
    let joint = 0;
    let row = 0;
    for (let i = 0; i < order.length; i++) {
      const moment = order[i];
      if (isJoint[moment] === 0) continue;
      for (let c = first[moment]; c < first[moment + 1]; c++) {
        // Back along the chain, to the joint that it begins with.
        let source = from[c];
        let length = lag[c];
        this.rowOf[c] = row;
        while (isJoint[source] === 0) {
          const before = first[source];
          this.rowOf[before] = row;
          length += lag[before];
          source = from[before];
        }
        this.from[row] = this.jointOf[source];
        this.lag[row++] = length;
      }
      this.jointOf[moment] = joint;
      this.measured[joint] = time[moment];
      this.first[++joint] = row;
    }
  }
}

/** Moments held by none or by several, those that hold several or that one of several, and those that are wanted. */
function findJoints({ first, from }: ConstraintSet, moments: number, wanted: Int32Array): Uint8Array {
  const isJoint = new Uint8Array(moments);
  const holdsOne = new Uint8Array(moments);
  for (let i = 0; i < wanted.length; i++) isJoint[wanted[i]] = 1;
  for (let moment = 0; moment < moments; moment++) {
    const isHeldByOne = first[moment + 1] - first[moment] === 1;
    if (!isHeldByOne) isJoint[moment] = 1;
    for (let c = first[moment]; c < first[moment + 1]; c++) {
      if (!isHeldByOne || holdsOne[from[c]] === 1) isJoint[from[c]] = 1;
      holdsOne[from[c]] = 1;
    }
  }
  return isJoint;
}
