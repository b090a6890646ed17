import type { Timeline, TimelineLane } from '../../protocol/timeline.ts';

/** How a person wants the lanes: by their ids. */
export interface LaneWishes {
  /** Kept at the top, in this order. */
  readonly pinned: readonly string[];
  /** The order of the first lanes, where it is another than the timeline's own. */
  readonly order: readonly string[];
  /** `stream, -sync`: see `parseLaneFilter`. */
  readonly filter: string;
}

export interface LaneOrder {
  /** Lanes that are shown, by their place in `timeline.lanes`, from the top; the pinned ones first. */
  readonly shown: readonly number[];
  /** How many of them are pinned. */
  readonly pinned: number;
  /** By row of the timeline: how many rows are above it; rows of lanes that are not shown come last. */
  readonly rankOf: Int32Array;
  /** By rank: the row. */
  readonly rowOf: Int32Array;
}

/** O(rows). Ids that no lane has are passed over. */
export function orderLanes({ lanes, rowFirst }: Timeline, { pinned, order, filter }: LaneWishes): LaneOrder {
  const isWanted = parseLaneFilter(filter);
  const all = ordered(lanes, order);
  const isPinned = new Set(pinned);
  const top = pinned.map((id) => lanes.findIndex((lane) => lane.id === id)).filter((at) => at !== -1);
  const rest = all.filter((at) => !isPinned.has(lanes[at].id));
  const shown = [...top, ...rest.filter((at) => isWanted(lanes[at]))];
  const hidden = rest.filter((at) => !isWanted(lanes[at]));
  const rankOf = new Int32Array(rowFirst.length - 1);
  const rowOf = new Int32Array(rowFirst.length - 1);
  let rank = 0;
  for (const at of [...shown, ...hidden]) {
    const { firstRow, rows } = lanes[at];
    for (let row = firstRow; row < firstRow + rows; row++) {
      rankOf[row] = rank;
      rowOf[rank++] = row;
    }
  }
  return { shown, pinned: top.length, rankOf, rowOf };
}

/** All lanes: those that `order` names first, in its order, then the others in their own. */
function ordered(lanes: readonly TimelineLane[], order: readonly string[]): number[] {
  const named = order.map((id) => lanes.findIndex((lane) => lane.id === id)).filter((at) => at !== -1);
  const isNamed = new Set(named);
  return [...isNamed, ...lanes.map((_, at) => at).filter((at) => !isNamed.has(at))];
}

/**
 * The order with one lane moved past its neighbour among those that are shown and not pinned; as short as it can be told. A pinned lane moves
 * among the pinned ones, so that `pinned` changes and `order` does not.
 */
export function movedLane(timeline: Timeline, wishes: LaneWishes, id: string, by: 1 | -1): LaneWishes {
  const { lanes } = timeline;
  const pinned = swapped(wishes.pinned, id, by);
  if (wishes.pinned.includes(id)) return { ...wishes, pinned };
  const { shown, pinned: count } = orderLanes(timeline, wishes);
  const seen = shown.slice(count).map((at) => lanes[at].id);
  const other = seen[seen.indexOf(id) + by];
  if (other === undefined) return wishes;
  const all = ordered(lanes, wishes.order).map((at) => lanes[at].id);
  const without = all.filter((each) => each !== id);
  const to = without.indexOf(other) + (by === 1 ? 1 : 0);
  const next = [...without.slice(0, to), id, ...without.slice(to)];
  return { ...wishes, order: trimmed(next, lanes) };
}

function swapped(ids: readonly string[], id: string, by: 1 | -1): string[] {
  const at = ids.indexOf(id);
  const to = at + by;
  const next = [...ids];
  if (at === -1 || to < 0 || to >= ids.length) return next;
  [next[at], next[to]] = [next[to], next[at]];
  return next;
}

/** Without the tail that is as the timeline has it. */
function trimmed(ids: readonly string[], lanes: readonly TimelineLane[]): string[] {
  for (let length = 0; length <= ids.length; length++) {
    const named = new Set(ids.slice(0, length));
    const rest = lanes.filter(({ id }) => !named.has(id));
    if (rest.every(({ id }, i) => id === ids[length + i])) return ids.slice(0, length);
  }
  return [...ids];
}

/** `stream, host`: lanes with either in their title, id or kind; `-sync`: none of these. Case does not matter. */
export function parseLaneFilter(text: string): (lane: TimelineLane) => boolean {
  const words = text
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== '-');
  const refused = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  const wanted = words.filter((word) => !word.startsWith('-'));
  return ({ id, title, kind }) => {
    const told = `${id} ${title} ${kind}`.toLowerCase();
    return (
      !refused.some((word) => told.includes(word)) &&
      (wanted.length === 0 || wanted.some((word) => told.includes(word)))
    );
  };
}
