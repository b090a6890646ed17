import type { ConstraintSet, WithMore } from './constraint-set.ts';
import type { Moments } from './moments.ts';

const OPEN = 1;
const PLACED = 2;

/**
 * All moments in an order in which every constraint goes forward: device ops by start, each behind what it waits for, then what is left of
 * the threads (`chains`). So it suits most waits between device ops, also those that are not among the constraints yet. `undefined` where
 * constraints make a cycle. O(moments + constraints), by looking back only.
 */
export function forwardOrder(
  { first, from }: ConstraintSet,
  { host, count }: Pick<Moments, 'host' | 'count'>,
  chains: readonly Int32Array[],
): Int32Array | undefined {
  const order = new Int32Array(count);
  const state = new Uint8Array(count);
  /** The moments that wait for one another, and which of its constraints each looks at. */
  let waiting = new Int32Array(1024);
  let looksAt = new Int32Array(1024);
  let length = 0;
  for (let moment = host; moment < count; moment++) if (state[moment] === 0 && !place(moment)) return undefined;
  for (const chain of chains) {
    for (let i = 0; i < chain.length; i++) if (state[chain[i]] === 0 && !place(chain[i])) return undefined;
  }
  return order;

  /** Places a moment behind all that must come before it. False where that is on a cycle. */
  function place(moment: number): boolean {
    let depth = 0;
    waiting[0] = moment;
    looksAt[0] = first[moment];
    state[moment] = OPEN;
    while (depth >= 0) {
      const held = waiting[depth];
      const end = first[held + 1];
      let c = looksAt[depth];
      while (c < end && state[from[c]] === PLACED) c++;
      if (c === end) {
        state[held] = PLACED;
        order[length++] = held;
        depth--;
        continue;
      }
      const source = from[c];
      if (state[source] === OPEN) return false;
      looksAt[depth] = c + 1;
      depth++;
      if (depth === waiting.length) {
        waiting = grown(waiting);
        looksAt = grown(looksAt);
      }
      waiting[depth] = source;
      looksAt[depth] = first[source];
      state[source] = OPEN;
    }
    return true;
  }
}

function grown(stack: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * stack.length);
  larger.set(stack);
  return larger;
}

/** Do constraints that were put in go forward in an order as well? False for an order that leaves moments out. */
export function goesForward(order: Int32Array, { set, rows, moments }: WithMore): boolean {
  const { from } = set;
  if (order.length < set.first.length - 1) return false;
  const isAsked = new Uint8Array(order.length);
  for (let i = 0; i < rows.length; i++) isAsked[from[rows[i]]] = isAsked[moments[i]] = 1;
  const place = new Map<number, number>();
  for (let at = 0; at < order.length; at++) if (isAsked[order[at]] === 1) place.set(order[at], at);
  for (let i = 0; i < rows.length; i++) {
    if ((place.get(from[rows[i]]) ?? 0) >= (place.get(moments[i]) ?? 0)) return false;
  }
  return true;
}
