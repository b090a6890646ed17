import { ConstraintBuilder, type ConstraintSet, OWN } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { Moments } from './moments.ts';
import { forwardOrder } from './forward-order.ts';
import { topologicalOrder } from './replay.ts';

const HOST_ORDER = kindCode('host-order');

/**
 * Enqueue, nesting and thread order make no cycle. Where damaged ids do, what contradicts the clock too is dropped first, then, where
 * all of a cycle's moments are one instant, what joins different lanes. Returns how many constraints were dropped, and an order of the
 * moments in which every constraint that is left goes forward.
 */
export function breakCycles(
  set: ConstraintSet,
  moments: Pick<Moments, 'host' | 'count'>,
  time: Float64Array,
  chains: readonly Int32Array[],
): { constraints: ConstraintSet; dropped: number; order: Int32Array } {
  const plain = forwardOrder(set, moments, chains);
  if (plain !== undefined) return { constraints: set, dropped: 0, order: plain };
  const { count } = moments;
  let constraints = set;
  let order = topologicalOrder(count, constraints.from, constraints.to);
  let dropped = 0;
  for (const limit of [0, -1]) {
    if (order.length === count) break;
    const placed = new Uint8Array(count);
    for (const moment of order) placed[moment] = 1;
    const kept = new ConstraintBuilder(set.from.length);
    const { from, to, kind } = constraints;
    for (let c = 0; c < from.length; c++) {
      const onCycle = placed[from[c]] === 0 && placed[to[c]] === 0;
      const isFixed = kind[c] === OWN || kind[c] === HOST_ORDER;
      if (onCycle && !isFixed && time[from[c]] - time[to[c]] > limit) dropped++;
      else kept.add(kind[c], from[c], to[c]);
    }
    constraints = kept.pack(count);
    order = topologicalOrder(count, constraints.from, constraints.to);
  }
  return { constraints, dropped, order };
}
