import type { Timeline, TimelineLane } from '../../protocol/timeline.ts';

export const ROW_HEIGHT = 18;
const HEAD_HEIGHT = 20;
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
  readonly counterTop?: number;
  readonly counterHeight: number;
}

export interface LaneLayout {
  readonly lanes: readonly PlacedLane[];
  readonly height: number;
  /** By row: the top of the row, or of the lane's first row where it is folded away. */
  readonly rowTop: Float64Array;
  /** By row: 1 where it is folded away. */
  readonly isHidden: Uint8Array;
}

/** Python stacks and what is no work are deep, and not what one looks for first. */
export const isFoldedAtFirst = ({ kind }: TimelineLane): boolean =>
  kind === 'python' || kind === 'sync' || kind === 'other' || kind === 'device-annotation';

export function placeLanes(timeline: Timeline, isFolded: (lane: TimelineLane) => boolean): LaneLayout {
  const rows = timeline.rowFirst.length - 1;
  const rowTop = new Float64Array(rows);
  const isHidden = new Uint8Array(rows);
  let top = 0;
  const lanes = timeline.lanes.map((lane): PlacedLane => {
    const folded = isFolded(lane);
    const shownRows = folded ? Math.min(1, lane.rows) : lane.rows;
    const rowsTop = top + HEAD_HEIGHT;
    for (let row = 0; row < lane.rows; row++) {
      rowTop[lane.firstRow + row] = rowsTop + (folded ? 0 : row * ROW_HEIGHT);
      isHidden[lane.firstRow + row] = folded && row > 0 ? 1 : 0;
    }
    const hasCounter = lane.counter !== undefined && !folded;
    const counterTop = rowsTop + shownRows * ROW_HEIGHT + 2;
    const height = HEAD_HEIGHT + shownRows * ROW_HEIGHT + (hasCounter ? COUNTER_HEIGHT : 0) + GAP;
    const placed = { lane, top, height, rowsTop, shownRows, isFolded: folded, counterHeight: COUNTER_HEIGHT - 4 };
    top += height;
    return hasCounter ? { ...placed, counterTop } : placed;
  });
  return { lanes, height: top, rowTop, isHidden };
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

/** The row at a height, or −1. */
export function rowAt({ lanes }: LaneLayout, y: number): number {
  const placed = lanes.find(({ top, height }) => top <= y && y < top + height);
  if (placed === undefined) return -1;
  const row = Math.floor((y - placed.rowsTop) / ROW_HEIGHT);
  return row >= 0 && row < placed.shownRows ? placed.lane.firstRow + row : -1;
}
