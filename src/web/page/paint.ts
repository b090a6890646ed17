/** Draws one frame of the timeline. */
import { type DrawList, fillDrawList } from '../timeline/draw-list.ts';
import { counterColumns } from '../timeline/counter-columns.ts';
import { ROW_HEIGHT, rowsBetween } from '../timeline/lanes.ts';
import { type PathLine, pathLine } from '../timeline/path-line.ts';
import { tickText, ticksOf, timeAt, wholeOf, xOf } from '../timeline/view.ts';
import { type Model, NONE } from './model.ts';
import type { Palette } from './palette.ts';

/** The strip above the lanes: the whole trace with what is in view, then the axis. */
export const MAP_HEIGHT = 18;
export const RULER_HEIGHT = 48;

const FONT = '11px ui-monospace, monospace';
const LABEL_ROOM = 28;
const PADDING = 4;
/** How much of a rectangle is covered by events, in steps that can be told apart. */
const SHADES = [0.4, 0.6, 0.8, 1] as const;

export interface Paint {
  readonly context: CanvasRenderingContext2D;
  readonly model: Model;
  readonly palette: Palette;
  readonly list: DrawList;
  readonly width: number;
  readonly height: number;
}

export function paint(frame: Paint): void {
  const { context, model, palette, list, width, height } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  const top = model.top.value;
  const rows = rowsBetween(model.layout.value, top, top + height - RULER_HEIGHT);
  const { timeline, pyramid } = model;
  fillDrawList(list, { timeline, pyramid, rows, view: model.view.value, width });
  paintLanes(frame);
  paintWindows(frame);
  paintRectangles(frame);
  paintCounters(frame);
  paintHits(frame);
  paintPath(frame);
  paintArrows(frame);
  paintSelection(frame);
  paintRuler(frame);
  paintCursor(frame);
}

/** From a height on the lanes to one on the canvas. */
const shift = ({ model }: Paint): number => RULER_HEIGHT - model.top.value;

function paintLanes(frame: Paint): void {
  const { context, model, palette, width, height } = frame;
  for (const { top, height: laneHeight } of model.layout.value.lanes) {
    const y = top + shift(frame);
    if (y + laneHeight < 0 || y > height) continue;
    context.fillStyle = palette.line;
    context.fillRect(0, Math.round(y), width, 1);
  }
}

function paintWindows({ context, model, palette, width, height }: Paint): void {
  context.fillStyle = palette.line;
  const view = model.view.value;
  for (const { startNs, endNs } of model.timeline.windows) {
    for (const time of [startNs, endNs]) {
      const x = xOf(time, view, width);
      if (x >= 0 && x <= width) context.fillRect(Math.round(x), RULER_HEIGHT, 1, height);
    }
  }
}

/** In the order of their colour, since changing it is what takes time. */
function paintRectangles(frame: Paint): void {
  const { context, model, palette, list, width } = frame;
  const { kind } = model.timeline;
  const isDimmed = model.isDimmed.value;
  const buckets = new Map<number, number[]>();
  for (let i = 0; i < list.length; i++) {
    const path = list.onPath[i] ?? NONE;
    const isFaint = isDimmed && path === NONE;
    // Of what was merged, dimming keeps the part that the path runs through.
    const event = isDimmed && path !== NONE ? path : (list.event[i] ?? 0);
    const shade = shadeOf(list.covered[i] ?? 1);
    const key = ((kind[event] ?? 0) * SHADES.length + shade) * 2 + (isFaint ? 1 : 0);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [i]);
    else bucket.push(i);
  }
  for (const [key, members] of buckets) {
    const isFaint = key % 2 === 1;
    const shade = SHADES[(key >> 1) % SHADES.length] ?? 1;
    context.fillStyle = palette.fill[Math.floor((key >> 1) / SHADES.length)] ?? palette.dim;
    context.globalAlpha = isFaint ? 0.14 : shade;
    for (const i of members) {
      const left = Math.max(list.left[i] ?? 0, -1);
      const right = Math.min(list.right[i] ?? 0, width + 1);
      const wide = right - left;
      // A hair between neighbours, where there is room for one.
      context.fillRect(left, topOf(frame, i), Math.max(wide > 3 ? wide - 0.75 : wide, 1), ROW_HEIGHT - 2);
    }
  }
  context.globalAlpha = 1;
  paintNames(frame);
}

const shadeOf = (covered: number): number => Math.min(SHADES.length - 1, Math.floor(covered * SHADES.length));

function topOf(frame: Paint, i: number): number {
  return (frame.model.layout.value.rowTop[frame.list.row[i] ?? 0] ?? 0) + shift(frame) + 1;
}

function paintNames(frame: Paint): void {
  const { context, model, palette, list, width } = frame;
  const charWidth = context.measureText('0').width;
  for (let i = 0; i < list.length; i++) {
    if (list.count[i] !== 1) continue;
    const left = Math.max(list.left[i] ?? 0, 0);
    const room = Math.min(list.right[i] ?? 0, width) - left;
    if (room < LABEL_ROOM) continue;
    const event = list.event[i] ?? 0;
    if (model.isDimmed.value && list.onPath[i] === NONE) continue;
    const text = cut(model.nameOf(event), Math.floor((room - 2 * PADDING) / charWidth));
    if (text === '') continue;
    context.fillStyle = palette.on[model.timeline.kind[event] ?? 0] ?? palette.ink;
    context.fillText(text, left + PADDING, topOf(frame, i) + ROW_HEIGHT / 2 - 1, room - PADDING);
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return most < 3 ? '' : `${text.slice(0, most - 1)}…`;
}

function paintCounters(frame: Paint): void {
  const { context, model, palette, width, height } = frame;
  const { timeline, peaks } = model;
  for (const { lane, counterTop, counterHeight } of model.layout.value.lanes) {
    const counter = lane.counter === undefined ? undefined : timeline.counters[lane.counter];
    if (counterTop === undefined || counter === undefined || lane.counter === undefined) continue;
    const y = counterTop + shift(frame);
    if (y > height || y + counterHeight < RULER_HEIGHT) continue;
    const columns = counterColumns(timeline, peaks, lane.counter, model.view.value, width);
    context.fillStyle = palette.dim;
    context.globalAlpha = 0.45;
    for (let x = 0; x < columns.length; x++) {
      const share = (columns[x] ?? 0) / Math.max(counter.max, 1);
      if (share > 0) context.fillRect(x, y + counterHeight * (1 - share), 1, counterHeight * share);
    }
    context.globalAlpha = 1;
    context.fillStyle = palette.line;
    context.fillRect(0, Math.round(y + counterHeight), width, 1);
  }
}

/** A mark above each rectangle with hits of the search in it. */
function paintHits(frame: Paint): void {
  const { context, model, palette, list, width } = frame;
  const before = model.hitsBefore.value;
  if (before === undefined) return;
  context.fillStyle = palette.hit;
  for (let i = 0; i < list.length; i++) {
    const first = list.first[i] ?? 0;
    if (before[first] === before[first + (list.count[i] ?? 0)]) continue;
    const left = Math.max(list.left[i] ?? 0, 0);
    const wide = Math.max(Math.min(list.right[i] ?? 0, width) - left, 2);
    context.fillRect(left, topOf(frame, i), wide, 3);
  }
}

/** Below the names of a row, so that they can still be read. */
const PATH_DROP = ROW_HEIGHT - 2;

function paintPath(frame: Paint): void {
  const { context, model, palette, width, height } = frame;
  const { timeline } = model;
  const { rowTop } = model.layout.value;
  const heightOf = (row: number): number => {
    const y = (rowTop[row] ?? 0) + shift(frame) + PATH_DROP;
    // Lanes that are scrolled away are hinted at by a line that leaves the picture.
    return Math.min(Math.max(y, -50), height + 50);
  };
  const line = pathLine(timeline, model.pathRows, heightOf, model.view.value, width);
  context.fillStyle = palette.path;
  // Where the path goes up and down within a pixel, the rows that it runs through show through.
  context.globalAlpha = 0.22;
  for (const { x, top, bottom } of line.spread) context.fillRect(x, top, 1, bottom - top + 1);
  context.globalAlpha = 1;
  context.lineJoin = 'round';
  stroke(context, line, true, palette.path, 1);
  stroke(context, line, false, palette.halo, 5);
  stroke(context, line, false, palette.path, 2.25);
}

/** Pieces of the line between dense corners, or all others. */
function stroke(
  context: CanvasRenderingContext2D,
  { x, y, isDense }: PathLine,
  wanted: boolean,
  colour: string,
  lineWidth: number,
): void {
  context.beginPath();
  let isDrawn = false;
  for (let i = 1; i < x.length; i++) {
    const isWanted = (isDense[i - 1] === true && isDense[i] === true) === wanted;
    if (isWanted && !isDrawn) context.moveTo(x[i - 1] ?? 0, y[i - 1] ?? 0);
    if (isWanted) context.lineTo(x[i] ?? 0, y[i] ?? 0);
    isDrawn = isWanted;
  }
  context.strokeStyle = colour;
  context.lineWidth = lineWidth;
  context.stroke();
}

/** What the selection had to wait for: what bound it bold, what did not thin and dashed. */
function paintArrows(frame: Paint): void {
  const { context, model, palette, width } = frame;
  const selected = model.selected.value;
  if (selected === NONE) return;
  const view = model.view.value;
  const toY = model.topOf(selected) + shift(frame) + ROW_HEIGHT / 2;
  const clamp = (x: number): number => Math.min(Math.max(x, -50), width + 50);
  for (const { fromEvent, fromNs, toNs, isBound } of model.arrows.value.toReversed()) {
    const fromX = clamp(xOf(fromNs, view, width));
    const toX = clamp(xOf(toNs, view, width));
    const fromY = model.topOf(fromEvent) + shift(frame) + ROW_HEIGHT / 2;
    const bend = Math.max(24, Math.abs(toX - fromX) / 3);
    context.strokeStyle = palette.ink;
    context.fillStyle = palette.ink;
    context.lineWidth = isBound ? 2.25 : 1;
    context.setLineDash(isBound ? [] : [4, 3]);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 7, toY - 4);
    context.lineTo(toX - 7, toY + 4);
    context.fill();
  }
}

function paintSelection(frame: Paint): void {
  const { context, model, palette, width } = frame;
  const selected = model.selected.value;
  if (selected === NONE) return;
  const view = model.view.value;
  const left = Math.max(xOf(model.startOf(selected), view, width), -4);
  const right = Math.min(xOf(model.endOf(selected), view, width), width + 4);
  if (right < 0 || left > width) return;
  const top = model.topOf(selected) + shift(frame);
  const wide = Math.max(right - left, 2);
  context.lineWidth = 4;
  context.strokeStyle = palette.halo;
  context.strokeRect(left, top, wide, ROW_HEIGHT);
  context.lineWidth = 2;
  context.strokeStyle = palette.ink;
  context.strokeRect(left, top, wide, ROW_HEIGHT);
}

const TICK_ROOM = 110;

function paintRuler({ context, model, palette, width }: Paint): void {
  const view = model.view.value;
  context.fillStyle = palette.soft;
  context.fillRect(0, 0, width, RULER_HEIGHT);
  const { step, times } = ticksOf(view, width, TICK_ROOM);
  for (const time of times) {
    const x = Math.round(xOf(time, view, width));
    context.fillStyle = palette.line;
    context.fillRect(x, MAP_HEIGHT, 1, RULER_HEIGHT - MAP_HEIGHT);
    context.fillStyle = palette.dim;
    const text = tickText(time, step);
    if (x + 4 + context.measureText(text).width < width) context.fillText(text, x + 4, MAP_HEIGHT + 8);
  }
  context.fillStyle = palette.ink;
  const charWidth = context.measureText('0').width;
  for (const { label, startNs, endNs } of model.timeline.windows) {
    const left = Math.max(xOf(startNs, view, width), 0);
    const room = Math.min(xOf(endNs, view, width), width) - left;
    context.fillText(cut(label, Math.floor((room - 8) / charWidth)), left + 4, RULER_HEIGHT - 8);
  }
  paintMap({ context, model, palette, width });
  context.fillStyle = palette.line;
  context.fillRect(0, RULER_HEIGHT - 1, width, 1);
}

/** The whole trace in a strip: where its windows are, and what is in view. */
function paintMap({ context, model, palette, width }: Omit<Paint, 'list' | 'height'>): void {
  const whole = wholeOf(model.bounds);
  context.fillStyle = palette.line;
  context.fillRect(0, MAP_HEIGHT - 1, width, 1);
  model.timeline.windows.forEach(({ startNs, endNs }, i) => {
    const left = xOf(startNs, whole, width);
    context.globalAlpha = i % 2 === 0 ? 0.35 : 0.2;
    context.fillStyle = palette.path;
    context.fillRect(left, 5, Math.max(xOf(endNs, whole, width) - left, 1), MAP_HEIGHT - 10);
  });
  context.globalAlpha = 1;
  const view = model.view.value;
  const left = xOf(view.start, whole, width);
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.strokeRect(left + 1, 1.5, Math.max(xOf(view.end, whole, width) - left - 2, 3), MAP_HEIGHT - 4);
}

function paintCursor({ context, model, palette, width, height }: Paint): void {
  const cursor = model.cursor.value;
  if (cursor === undefined) return;
  const x = Math.round(xOf(cursor.time, model.view.value, width));
  context.fillStyle = palette.ink;
  context.globalAlpha = 0.6;
  context.fillRect(x, MAP_HEIGHT, 1, height - MAP_HEIGHT);
  context.globalAlpha = 1;
}

/** The instant at a pixel of the strip above the lanes. */
export const mapTimeAt = (model: Model, x: number, width: number): number => timeAt(x, wholeOf(model.bounds), width);
