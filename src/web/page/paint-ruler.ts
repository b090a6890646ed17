/** Above the lanes: the whole trace in a strip, the axis, the windows; over them: the area and the notes. */
import { formatDur } from '../../base/format.ts';
import { tickText, ticksOf, timeAt, wholeOf, xOf } from '../timeline/view.ts';
import type { Model } from './model.ts';
import { MAP_HEIGHT, type Paint, RULER_HEIGHT, cut, skyline, yOf } from './frame.ts';

/** Room of one mark of the axis, in pixels. */
const TICK_ROOM = 110;
const TICK_HEIGHT = 15;
const AXIS_Y = MAP_HEIGHT + 8;
const WINDOW_Y = RULER_HEIGHT - 8;

export function paintRuler(frame: Paint): void {
  const { pen, model, palette, width } = frame;
  const view = model.view.value;
  pen.fillStyle = palette.soft;
  pen.fillRect(0, 0, width, RULER_HEIGHT);
  const { step, times } = ticksOf(view, width, TICK_ROOM);
  for (const time of times) {
    const x = Math.round(xOf(time, view, width));
    pen.fillStyle = palette.line;
    // Not as far down as the windows' names.
    pen.fillRect(x, MAP_HEIGHT, 1, TICK_HEIGHT);
    pen.fillStyle = palette.dim;
    const text = tickText(time, step);
    if (x + 4 + pen.measureText(text).width < width) pen.fillText(text, x + 4, AXIS_Y);
  }
  paintWindowNames(frame);
  paintMap(frame);
  pen.fillStyle = palette.line;
  pen.fillRect(0, RULER_HEIGHT - 1, width, 1);
}

function paintWindowNames({ pen, model, palette, width }: Paint): void {
  const view = model.view.value;
  const charWidth = pen.measureText('0').width;
  pen.fillStyle = palette.ink;
  for (const { label, startNs, endNs } of model.timeline.windows) {
    if (endNs < view.start || startNs > view.end) continue;
    const left = Math.max(xOf(startNs, view, width), 0);
    const room = Math.min(xOf(endNs, view, width), width) - left;
    pen.fillText(cut(label, Math.floor((room - 8) / charWidth)), left + 4, WINDOW_Y);
  }
}

/** Where the devices work, where the windows are, and what is in view. */
function paintMap({ pen, model, palette, width }: Paint): void {
  const whole = wholeOf(model.bounds);
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, width, MAP_HEIGHT);
  pen.fillStyle = palette.counter;
  skyline(pen, model.map.value, MAP_HEIGHT - 6, MAP_HEIGHT - 9);
  model.timeline.windows.forEach(({ startNs, endNs }, i) => {
    const left = xOf(startNs, whole, width);
    pen.fillStyle = i % 2 === 0 ? palette.path : palette.pale;
    pen.fillRect(left, MAP_HEIGHT - 5, Math.max(xOf(endNs, whole, width) - left, 1), 2);
  });
  pen.fillStyle = palette.line;
  pen.fillRect(0, MAP_HEIGHT - 1, width, 1);
  const view = model.view.value;
  const left = xOf(view.start, whole, width);
  const wide = Math.max(xOf(view.end, whole, width) - left - 2, 3);
  pen.fillStyle = palette.ink;
  pen.globalAlpha = 0.08;
  pen.fillRect(left + 1, 1, wide, MAP_HEIGHT - 3);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1.5;
  pen.strokeRect(left + 1, 1.5, wide, MAP_HEIGHT - 4);
}

/** The span that is summed, over its lanes. */
export function paintArea({ pen, model, palette, width, height }: Paint): void {
  const area = model.area.value;
  if (area === undefined) return;
  const view = model.view.value;
  const left = Math.max(xOf(area.start, view, width), -2);
  const right = Math.min(xOf(area.end, view, width), width + 2);
  if (right < 0 || left > width) return;
  pen.fillStyle = palette.link;
  pen.globalAlpha = 0.13;
  const wanted = area.lanes === undefined ? undefined : new Set(area.lanes);
  if (wanted === undefined) pen.fillRect(left, RULER_HEIGHT, right - left, height);
  for (const { lane, top, height: laneHeight } of model.layout.value.lanes) {
    if (wanted?.has(lane.id) === true) pen.fillRect(left, yOf(model, top), right - left, laneHeight);
  }
  pen.globalAlpha = 1;
  for (const x of [left, right]) pen.fillRect(Math.round(x), RULER_HEIGHT, 1, height);
}

/** Over all else: how long the area is. */
export function paintAreaLength({ pen, model, palette, width, height }: Paint): void {
  const area = model.area.value;
  if (area === undefined) return;
  const view = model.view.value;
  const left = Math.max(xOf(area.start, view, width), -2);
  const right = Math.min(xOf(area.end, view, width), width + 2);
  if (right < 0 || left > width) return;
  tag(pen, palette, formatDur(Math.round(area.end - area.start)), (left + right) / 2, width, height - 17, true);
}

/** A flag at each note's begin, numbered as the list of notes is, and a line to its end. */
export function paintNotes({ pen, model, palette, width, height }: Paint): void {
  const view = model.view.value;
  model.notes.value.forEach(({ startNs, endNs }, i) => {
    const left = xOf(startNs, view, width);
    const right = xOf(endNs, view, width);
    if (right < 0 || left > width) return;
    pen.fillStyle = palette.link;
    pen.fillRect(Math.round(left), RULER_HEIGHT, 1, height);
    pen.fillRect(Math.max(left, 0), RULER_HEIGHT, Math.max(Math.min(right, width) - Math.max(left, 0), 1), 2);
    tag(pen, palette, String(i + 1), left + 1, width, RULER_HEIGHT + 2, false);
  });
}

/** Words on a plate, kept within the picture. */
function tag(
  pen: Paint['pen'],
  palette: Paint['palette'],
  text: string,
  x: number,
  width: number,
  top: number,
  isCentred: boolean,
): void {
  const wide = Math.round(pen.measureText(text).width + 8);
  const left = Math.round(Math.min(Math.max(isCentred ? x - wide / 2 : x, 0), width - wide));
  pen.fillStyle = palette.link;
  pen.fillRect(left, top, wide, 15);
  pen.fillStyle = palette.paper;
  pen.fillText(text, left + 4, top + 8);
}

/** The instant at a pixel of the strip above the lanes. */
export const mapTimeAt = (model: Model, x: number, width: number): number => timeAt(x, wholeOf(model.bounds), width);
