/** What a frame is drawn from, and what all that draw it share. */
import type { DrawList } from '../timeline/draw-list.ts';
import type { Pen } from '../timeline/pen.ts';
import { type Model, NONE } from './model.ts';
import type { Palette } from './palette.ts';
import type { Strips } from './strips.ts';

/** The strip of the whole trace, and all that is above the lanes, in pixels. */
export const MAP_HEIGHT = 24;
export const RULER_HEIGHT = 54;

export const FONT = '11px ui-monospace, monospace';
/** Columns from which both ends of a name are shown. */
const BOTH_ENDS = 10;

export interface Paint {
  readonly pen: Pen;
  readonly model: Model;
  readonly palette: Palette;
  readonly list: DrawList;
  readonly buckets: Buckets;
  /** Draws thin rectangles faster; without it they are drawn as the others. */
  readonly strips?: Strips;
  readonly width: number;
  readonly height: number;
}

/** The height on the canvas of a height of the lanes. */
export const yOf = (model: Model, height: number): number => model.seenAt(height) + RULER_HEIGHT;

/** Rectangles by their colour, since changing it is what takes time: lists that are threaded through the draw list. */
export class Buckets {
  readonly #head: Int32Array;
  readonly #next: Int32Array;

  constructor(colours: number, rectangles: number) {
    this.#head = new Int32Array(colours);
    this.#next = new Int32Array(rectangles);
  }
  clear(): void {
    this.#head.fill(NONE);
  }
  add(colour: number, rectangle: number): void {
    this.#next[rectangle] = this.#head[colour] ?? NONE;
    this.#head[colour] = rectangle;
  }
  get colours(): number {
    return this.#head.length;
  }
  first(colour: number): number {
    return this.#head[colour] ?? NONE;
  }
  next(rectangle: number): number {
    return this.#next[rectangle] ?? NONE;
  }
}

/** As much of a text as there are columns for: both ends where there is room for them, since names differ at either. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < 3) return '';
  const tail = most < BOTH_ENDS ? 0 : Math.floor((most - 1) / 3);
  return `${text.slice(0, most - 1 - tail)}…${tail === 0 ? '' : text.slice(-tail)}`;
}

/** One area under all columns. What is not nothing is a pixel high at least. */
export function skyline(pen: Pen, columns: Float64Array, bottom: number, scale: number): void {
  pen.beginPath();
  pen.moveTo(0, bottom);
  let before = 0;
  for (let x = 0; x < columns.length; x++) {
    const value = columns[x] ?? 0;
    const height = value > 0 ? Math.max(1, Math.round(value * scale)) : 0;
    if (height === before) continue;
    pen.lineTo(x, bottom - before);
    pen.lineTo(x, bottom - height);
    before = height;
  }
  pen.lineTo(columns.length, bottom - before);
  pen.lineTo(columns.length, bottom);
  pen.fill();
}
