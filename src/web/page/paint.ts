/** Draws one frame of the timeline: lanes, events, counters; then what runs over them. */
import { counterColumns } from '../timeline/counter-columns.ts';
import { type DrawList, fillDrawList } from '../timeline/draw-list.ts';
import { ROW_HEIGHT, rowsBetween } from '../timeline/lanes.ts';
import { xOf } from '../timeline/view.ts';
import { FONT, type Paint, RULER_HEIGHT, cut, skyline, yOf } from './frame.ts';
import { NONE } from './model.ts';
import { paintArrows, paintPath } from './paint-path.ts';
import { paintArea, paintAreaLength, paintNotes, paintRuler } from './paint-ruler.ts';
import { SHADES } from './palette.ts';

/** A name has this much room at least, in pixels. */
const LABEL_ROOM = 28;
const PADDING = 4;
/** Rectangles up to this are drawn without a hair between them, in pixels. */
const THIN = 3;

export function paint(frame: Paint): void {
  const { pen, model, palette, list, width, height } = frame;
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, width, height);
  pen.font = FONT;
  const { timeline, pyramid } = model;
  const layout = model.layout.value;
  const [top, stuck] = [model.top.value, model.stuck()];
  const scrolled = rowsBetween(layout, top + stuck, top + height - RULER_HEIGHT);
  const pinned = stuck === 0 ? [] : rowsBetween(layout, 0, stuck - 1);
  fillDrawList(list, { timeline, pyramid, rows: [...scrolled, ...pinned], view: model.view.value, width });
  const split = firstOf(list, new Set(pinned));
  paintGroup(frame, 0, split, false);
  if (stuck > 0) {
    pen.fillStyle = palette.paper;
    pen.fillRect(0, RULER_HEIGHT, width, stuck);
    paintGroup(frame, split, list.length, true);
    pen.fillStyle = palette.dim;
    pen.fillRect(0, RULER_HEIGHT + stuck - 1, width, 1);
  }
  paintArea(frame);
  paintPath(frame);
  paintArrows(frame);
  paintSelection(frame);
  paintNotes(frame);
  paintAreaLength(frame);
  paintRuler(frame);
}

/** Where the rectangles of pinned rows begin: they are the last ones. */
function firstOf(list: DrawList, pinned: ReadonlySet<number>): number {
  let at = list.length;
  while (at > 0 && pinned.has(list.row[at - 1] ?? NONE)) at--;
  return at;
}

/** Lanes that are pinned, or those that scroll. */
function paintGroup(frame: Paint, from: number, to: number, isPinned: boolean): void {
  paintLanes(frame, isPinned);
  paintRectangles(frame, from, to);
  paintNames(frame, from, to);
  paintCounters(frame, isPinned);
  paintHits(frame, from, to);
}

function paintLanes({ pen, model, palette, width, height }: Paint, isPinned: boolean): void {
  pen.fillStyle = palette.line;
  for (const { top, height: laneHeight, isPinned: isIt } of model.layout.value.lanes) {
    const y = Math.round(yOf(model, top));
    if (isIt === isPinned && y + laneHeight >= 0 && y <= height) pen.fillRect(0, y, width, 1);
  }
  const view = model.view.value;
  const [from, to] = isPinned ? [RULER_HEIGHT, model.stuck()] : [RULER_HEIGHT + model.stuck(), height];
  for (const { startNs, endNs } of model.timeline.windows) {
    for (const time of [startNs, endNs]) {
      const x = xOf(time, view, width);
      if (x >= 0 && x <= width) pen.fillRect(Math.round(x), from, 1, to);
    }
  }
}

function paintRectangles(frame: Paint, from: number, to: number): void {
  const { pen, model, palette, list, buckets, strips, width } = frame;
  const { kind } = model.timeline;
  const isDimmed = model.isDimmed.value;
  const thin = strips === undefined ? 0 : THIN;
  const tops: number[] = [];
  let row = NONE;
  strips?.begin(Math.ceil(width), rowsOf(list, from, to));
  buckets.clear();
  for (let i = from; i < to; i++) {
    const path = list.onPath[i] ?? NONE;
    const isFaint = isDimmed && path === NONE;
    // Of what was merged, dimming keeps the part that the path runs through.
    const event = isDimmed && path !== NONE ? path : (list.event[i] ?? 0);
    const colour = (kind[event] ?? 0) * (SHADES.length + 1) + (isFaint ? 0 : 1 + shadeOf(list.covered[i] ?? 1));
    if (list.row[i] !== row) {
      row = list.row[i] ?? NONE;
      tops.push(topOf(frame, i));
    }
    const left = leftOf(list, i);
    const wide = rightOf(list, i, width) - left;
    if (wide > thin) buckets.add(colour, i);
    else strips?.put(tops.length - 1, left, Math.max(wide, 1), palette.pixel[colour] ?? 0, isFaint);
  }
  for (let colour = 0; colour < buckets.colours; colour++) {
    let i = buckets.first(colour);
    if (i !== NONE) pen.fillStyle = palette.shade[colour] ?? palette.dim;
    for (; i !== NONE; i = buckets.next(i)) {
      const left = leftOf(list, i);
      const wide = rightOf(list, i, width) - left;
      // Never thinner than a pixel; a hair between neighbours, where there is room for one.
      pen.fillRect(left, topOf(frame, i), wide > THIN ? wide - 1 : Math.max(wide, 1), ROW_HEIGHT - 2);
    }
  }
  strips?.draw(tops, ROW_HEIGHT - 2);
}

const leftOf = (list: DrawList, i: number): number => Math.round(Math.max(list.left[i] ?? 0, -1));
const rightOf = (list: DrawList, i: number, width: number): number =>
  Math.round(Math.min(list.right[i] ?? 0, width + 1));

/** Rows that have rectangles: those of a row follow each other. */
function rowsOf({ row }: DrawList, from: number, to: number): number {
  let rows = 0;
  for (let i = from; i < to; i++) if (i === from || row[i] !== row[i - 1]) rows++;
  return rows;
}

const shadeOf = (covered: number): number => Math.min(SHADES.length - 1, Math.floor(covered * SHADES.length));

function topOf({ model, list }: Paint, i: number): number {
  return yOf(model, model.layout.value.rowTop[list.row[i] ?? 0] ?? 0) + 1;
}

function paintNames(frame: Paint, from: number, to: number): void {
  const { pen, model, palette, list, width } = frame;
  const charWidth = pen.measureText('0').width;
  const isDimmed = model.isDimmed.value;
  let colour = '';
  for (let i = from; i < to; i++) {
    if (list.count[i] !== 1) continue;
    const left = Math.max(list.left[i] ?? 0, 0);
    const room = Math.min(list.right[i] ?? 0, width) - left;
    if (room < LABEL_ROOM || (isDimmed && list.onPath[i] === NONE)) continue;
    const event = list.event[i] ?? 0;
    const text = cut(model.nameOf(event), Math.floor((room - 2 * PADDING) / charWidth));
    if (text === '') continue;
    const wanted = palette.on[model.timeline.kind[event] ?? 0] ?? palette.ink;
    if (wanted !== colour) pen.fillStyle = wanted;
    colour = wanted;
    pen.fillText(text, Math.round(left) + PADDING, topOf(frame, i) + ROW_HEIGHT / 2 - 1);
  }
}

function paintCounters({ pen, model, palette, width, height }: Paint, isPinned: boolean): void {
  const { timeline, peaks } = model;
  for (const { lane, counterTop, counterHeight, isPinned: isIt } of model.layout.value.lanes) {
    const counter = lane.counter === undefined ? undefined : timeline.counters[lane.counter];
    if (isIt !== isPinned || counterTop === undefined || counter === undefined || lane.counter === undefined) continue;
    const y = Math.round(yOf(model, counterTop));
    if (y > height || y + counterHeight < RULER_HEIGHT) continue;
    const columns = counterColumns(timeline, peaks, lane.counter, model.view.value, width);
    pen.fillStyle = palette.counter;
    skyline(pen, columns, y + counterHeight, counterHeight / (counter.max > 0 ? counter.max : 1));
    pen.fillStyle = palette.line;
    pen.fillRect(0, y + counterHeight, width, 1);
  }
}

/** A mark above each rectangle with hits of the search in it. */
function paintHits(frame: Paint, from: number, to: number): void {
  const { pen, model, palette, list, width } = frame;
  const before = model.hitsBefore.value;
  if (before === undefined) return;
  pen.fillStyle = palette.hit;
  for (let i = from; i < to; i++) {
    const first = list.first[i] ?? 0;
    if (before[first] === before[first + (list.count[i] ?? 0)]) continue;
    const left = Math.max(list.left[i] ?? 0, 0);
    const wide = Math.max(Math.min(list.right[i] ?? 0, width) - left, 2);
    pen.fillRect(left, topOf(frame, i), wide, 3);
  }
}

function paintSelection({ pen, model, palette, width }: Paint): void {
  const selected = model.selected.value;
  if (selected === NONE) return;
  const view = model.view.value;
  const left = Math.max(xOf(model.startOf(selected), view, width), -4);
  const right = Math.min(xOf(model.endOf(selected), view, width), width + 4);
  const top = model.topOf(selected);
  const isBehind = top >= model.stuck() && model.seenAt(top) + ROW_HEIGHT < model.stuck();
  if (right < 0 || left > width || isBehind) return;
  const wide = Math.max(right - left, 2);
  pen.lineWidth = 4;
  pen.strokeStyle = palette.halo;
  pen.strokeRect(left, yOf(model, top), wide, ROW_HEIGHT);
  pen.lineWidth = 2;
  pen.strokeStyle = palette.ink;
  pen.strokeRect(left, yOf(model, top), wide, ROW_HEIGHT);
}
