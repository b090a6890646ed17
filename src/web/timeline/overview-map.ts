/** The strip of the whole trace: how much the devices work at each of its pixels. */
import type { Timeline } from '../../protocol/timeline.ts';
import { DrawList, fillDrawList } from './draw-list.ts';
import type { Pyramid } from './pyramid.ts';
import { wholeOf } from './view.ts';

/** By pixel, 0…1: how many streams work, of the most that ever do; threads where there is no stream. O(pixels × rows). */
export function mapHeights(timeline: Timeline, pyramid: Pyramid, width: number): Float64Array {
  const heights = new Float64Array(Math.max(0, Math.ceil(width)));
  const rows = firstRows(timeline);
  if (rows.length === 0 || width <= 0) return heights;
  const list = new DrawList();
  const view = wholeOf({ start: timeline.startNs, end: timeline.endNs });
  fillDrawList(list, { timeline, pyramid, rows, view, width });
  for (let i = 0; i < list.length; i++) {
    const [left, right] = [Math.max(list.left[i], 0), Math.min(list.right[i], width)];
    // What lies in a pixel covers its part of it; the parts of a wide rectangle are cut at the pixels.
    for (let x = Math.floor(left); x < right && x < heights.length; x++) {
      heights[x] += list.covered[i] * (Math.min(right, x + 1) - Math.max(left, x));
    }
  }
  let most = 0;
  for (const height of heights) most = Math.max(most, height);
  if (most > 1) heights.forEach((height, x) => (heights[x] = height / most));
  return heights;
}

function firstRows({ lanes }: Timeline): number[] {
  const streams = lanes.filter(({ kind }) => kind === 'stream');
  const wanted = streams.length > 0 ? streams : lanes.filter(({ kind }) => kind === 'host');
  return wanted.filter(({ rows }) => rows > 0).map(({ firstRow }) => firstRow);
}
