/** The path as one line, and the constraints of the selection as arrows. */
import { HEAD_HEIGHT, ROW_HEIGHT, laneAt } from '../timeline/lanes.ts';
import { type Bars, PATH_WIDTH, type PathBars, pathBars } from '../timeline/path-bars.ts';
import { pathLine } from '../timeline/path-line.ts';
import type { Pen } from '../timeline/pen.ts';
import { xOf } from '../timeline/view.ts';
import { NONE } from './model.ts';
import { type Paint, RULER_HEIGHT, yOf } from './frame.ts';

/** Below the names of a row, so that they can still be read. */
const PATH_DROP = ROW_HEIGHT - 2;
/** Paper around the line, so that it can be told from the events, in pixels. */
const HALO = 1;
/** How far beyond the picture a line goes on. */
const BEYOND = 50;

export function paintPath({ pen, model, palette, width, height }: Paint): void {
  const { timeline } = model;
  const { rowTop } = model.layout.value;
  const { rowOf } = model.order.value;
  const stuck = model.stuck();
  const heightOf = (rank: number): number => {
    const top = rowTop[rowOf[rank] ?? 0] ?? 0;
    const y = yOf(model, top) + PATH_DROP;
    // Lanes that are scrolled away are hinted at by a line that leaves the picture, or goes behind the pinned ones.
    const least = top < stuck || stuck === 0 ? -BEYOND : RULER_HEIGHT + stuck;
    return Math.min(Math.max(y, least), height + BEYOND);
  };
  const line = pathLine(timeline, model.pathRows.value, heightOf, model.view.value, width);
  const bars = pathBars(line);
  pen.fillStyle = palette.path;
  // Where the path goes up and down within a pixel, the rows that it runs through show through.
  pen.globalAlpha = 0.22;
  for (const { x, top, bottom } of line.spread) pen.fillRect(x, top, 1, bottom - top + 1);
  pen.globalAlpha = 1;
  fillBars(pen, bars.dense, 0);
  pen.fillStyle = palette.halo;
  fillBars(pen, bars.line, HALO);
  pen.fillStyle = palette.path;
  fillBars(pen, bars.line, 0);
  strokeSlanted(pen, bars, palette.halo, PATH_WIDTH + 2 * HALO);
  strokeSlanted(pen, bars, palette.path, PATH_WIDTH);
}

function fillBars(pen: Pen, { x, y, width, height }: Bars, around: number): void {
  for (let i = 0; i < x.length; i++) {
    const [wide, high] = [width[i] ?? 0, height[i] ?? 0];
    pen.fillRect((x[i] ?? 0) - around, (y[i] ?? 0) - around, wide + 2 * around, high + 2 * around);
  }
}

function strokeSlanted(pen: Pen, { slanted }: PathBars, colour: string, lineWidth: number): void {
  if (slanted.length === 0) return;
  pen.beginPath();
  for (const { fromX, fromY, x, y } of slanted) {
    pen.moveTo(fromX, fromY);
    pen.lineTo(x, y);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = lineWidth;
  pen.stroke();
}

/** Where an arrow leaves its row: at the edge that is towards the other one, so that it crosses no name. */
const leaveAt = (from: number, to: number): number => (from === to ? ROW_HEIGHT / 2 : from < to ? ROW_HEIGHT - 1 : 1);

const LABEL_HEIGHT = 15;

/** What the selection had to wait for: what bound it bold, what did not thin and dashed, with its slack. */
export function paintArrows(frame: Paint): void {
  const { pen, model, palette, width } = frame;
  const selected = model.selected.value;
  if (selected === NONE) return;
  const view = model.view.value;
  const toY = yOf(model, model.topOf(selected)) + ROW_HEIGHT / 2;
  const clamp = (x: number): number => Math.min(Math.max(x, -BEYOND), width + BEYOND);
  const labels: Label[] = [];
  pen.strokeStyle = palette.ink;
  for (const { fromEvent, fromNs, toNs, isBound, label } of model.arrows.value.toReversed()) {
    const fromX = clamp(xOf(fromNs, view, width));
    const toX = clamp(xOf(toNs, view, width));
    const fromY = yOf(model, model.topOf(fromEvent)) + leaveAt(model.topOf(fromEvent), model.topOf(selected));
    const bend = Math.max(24, Math.abs(toX - fromX) / 3);
    pen.fillStyle = palette.ink;
    pen.lineWidth = isBound ? 2.25 : 1;
    pen.setLineDash(isBound ? [] : [4, 3]);
    pen.beginPath();
    pen.moveTo(fromX, fromY);
    pen.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
    pen.stroke();
    pen.setLineDash([]);
    pen.beginPath();
    pen.moveTo(toX, toY);
    pen.lineTo(toX - 7, toY - 4);
    pen.lineTo(toX - 7, toY + 4);
    pen.fill();
    const middle = (fromY + toY) / 2;
    labels.push({ x: (fromX + toX) / 2, y: headAbove(frame, middle), text: label, isBound });
  }
  // What bound comes last, and is the first to get room.
  paintLabels(frame, labels.toReversed());
}

/** The empty strip of the lane at a height: words in it hide no event. */
function headAbove({ model }: Paint, y: number): number {
  const placed = laneAt(model.layout.value, model.heightAt(y - RULER_HEIGHT));
  return placed === undefined ? y : yOf(model, placed.top) + HEAD_HEIGHT / 2 + 1;
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly isBound: boolean;
}

/** Words on the arrows, where they have room: the panel has all of them. */
function paintLabels({ pen, palette, width, height }: Paint, labels: readonly Label[]): void {
  const boxes: { left: number; top: number; wide: number }[] = [];
  for (const { x, y, text, isBound } of labels) {
    const wide = pen.measureText(text).width + 8;
    const left = Math.round(Math.min(Math.max(x - wide / 2, 2), width - wide - 2));
    const top = Math.round(y - LABEL_HEIGHT / 2);
    const isIn = top >= RULER_HEIGHT && top + LABEL_HEIGHT < height;
    const isFree = boxes.every(
      (box) => left > box.left + box.wide || box.left > left + wide || Math.abs(top - box.top) > LABEL_HEIGHT,
    );
    if (!isIn || !isFree) continue;
    boxes.push({ left, top, wide });
    pen.fillStyle = palette.paper;
    pen.fillRect(left, top, wide, LABEL_HEIGHT);
    pen.lineWidth = isBound ? 1.5 : 0.75;
    pen.strokeStyle = palette.ink;
    pen.strokeRect(left + 0.5, top + 0.5, wide - 1, LABEL_HEIGHT - 1);
    pen.fillStyle = palette.ink;
    pen.fillText(text, left + 4, top + LABEL_HEIGHT / 2 + 0.5);
  }
}
