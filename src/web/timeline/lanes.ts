import type { Timeline, TimelineLane } from '../../protocol/timeline.ts';
import { type LaneOrder, orderLanes } from './lane-order.ts';

export const ROW_HEIGHT = 18;
/** Above the rows of a lane; nothing is drawn there but words. */
export const HEAD_HEIGHT = 20;
const COUNTER_HEIGHT = 34;
const GAP = 6;

/** Where a lane is on the page, in pixels from the top of the first one. */
export interface PlacedLane {
  readonly lane: TimelineLane;
  readonly top: number;
  readonly height: number;
  /** Of its first row; rows follow each other. */
  readonly rowsTop: number;
  /** Rows that are shown: of a folded lane the first one. */
  readonly shownRows: number;
  readonly isFolded: boolean;
  readonly isPinned: boolean;
  readonly counterTop?: number;
  readonly counterHeight: number;
}

export interface LaneLayout {
  /** From the top; the pinned ones first. */
  readonly lanes: readonly PlacedLane[];
  readonly height: number;
  /** Of the pinned lanes together: what is below it scrolls. */
  readonly pinnedHeight: number;
  /** By row: the top of the row, of the lane's first row where it is folded away, or a place below all where its lane is not shown. */
  readonly rowTop: Float64Array;
  /** By row: 1 where it is folded away, or its lane is not shown. */
  readonly isHidden: Uint8Array;
}

/** Python stacks and what is no work are deep, and not what one looks for first. */
export const isFoldedAtFirst = ({ kind }: TimelineLane): boolean =>
  kind === 'python' || kind === 'sync' || kind === 'other' || kind === 'device-annotation';

const AS_IT_IS = { pinned: [], order: [], filter: '' } as const;

export function placeLanes(
  timeline: Timeline,
  isFolded: (lane: TimelineLane) => boolean,
  order: LaneOrder = orderLanes(timeline, AS_IT_IS),
): LaneLayout {
  const rows = timeline.rowFirst.length - 1;
  const rowTop = new Float64Array(rows);
  const isHidden = new Uint8Array(rows).fill(1);
  const placed: PlacedLane[] = [];
  let top = 0;
  let pinnedHeight = 0;
  order.shown.forEach((at, place) => {
    const each = placeLane(timeline.lanes[at], top, isFolded(timeline.lanes[at]), place < order.pinned);
    placed.push(each);
    top += each.height;
    if (each.isPinned) pinnedHeight = top;
  });
  rowTop.fill(top + 2 * ROW_HEIGHT);
  for (const { lane, rowsTop, shownRows, isFolded: folded } of placed) {
    for (let row = 0; row < lane.rows; row++) {
      rowTop[lane.firstRow + row] = rowsTop + (folded ? 0 : row * ROW_HEIGHT);
      isHidden[lane.firstRow + row] = row < shownRows ? 0 : 1;
    }
  }
  return { lanes: placed, height: top, pinnedHeight, rowTop, isHidden };
}

function placeLane(lane: TimelineLane, top: number, isFolded: boolean, isPinned: boolean): PlacedLane {
  const shownRows = isFolded ? Math.min(1, lane.rows) : lane.rows;
  const rowsTop = top + HEAD_HEIGHT;
  const hasCounter = lane.counter !== undefined && !isFolded;
  const counterTop = rowsTop + shownRows * ROW_HEIGHT + (lane.rows === 0 ? 0 : 2);
  const height = HEAD_HEIGHT + shownRows * ROW_HEIGHT + (hasCounter ? COUNTER_HEIGHT : 0) + GAP;
  const placed = { lane, top, height, rowsTop, shownRows, isFolded, isPinned, counterHeight: COUNTER_HEIGHT - 4 };
  return hasCounter ? { ...placed, counterTop } : placed;
}

/** Rows between two heights. */
export function rowsBetween({ lanes }: LaneLayout, from: number, to: number): number[] {
  const rows: number[] = [];
  for (const { lane, top, height, rowsTop, shownRows } of lanes) {
    if (top + height < from || top > to) continue;
    for (let row = 0; row < shownRows; row++) {
      const y = rowsTop + row * ROW_HEIGHT;
      if (y + ROW_HEIGHT > from && y < to) rows.push(lane.firstRow + row);
    }
  }
  return rows;
}

/** The lane at a height. */
export const laneAt = ({ lanes }: LaneLayout, y: number): PlacedLane | undefined =>
  lanes.find(({ top, height }) => top <= y && y < top + height);

/** The row at a height, or −1. */
export function rowAt(layout: LaneLayout, y: number): number {
  const placed = laneAt(layout, y);
  if (placed === undefined) return -1;
  const row = Math.floor((y - placed.rowsTop) / ROW_HEIGHT);
  return row >= 0 && row < placed.shownRows ? placed.lane.firstRow + row : -1;
}
