/** The path line as upright and level bars: a canvas fills thousands of those faster than it strokes one line with as many corners. */
import type { PathLine } from './path-line.ts';

/** Bars of one kind, in whole pixels, as columns. */
export interface Bars {
  readonly x: number[];
  readonly y: number[];
  readonly width: number[];
  readonly height: number[];
}

export interface PathBars {
  /** Where the line changes rows again and again: a pixel wide, without a hair around them. */
  readonly dense: Bars;
  /** `PATH_WIDTH` wide. */
  readonly line: Bars;
  /** What is neither upright nor level: corners in pairs. Where the path pauses between two windows. */
  readonly slanted: readonly {
    readonly fromX: number;
    readonly fromY: number;
    readonly x: number;
    readonly y: number;
  }[];
}

/** Pixels. */
export const PATH_WIDTH = 2;

/** A bar a piece of the line, and fewer where many change rows in one pixel: the line has no gaps, so that what it passes there is one span. O(corners). */
export function pathBars({ x, y, isDense }: PathLine): PathBars {
  const upright = new Uprights();
  const slanted: { fromX: number; fromY: number; x: number; y: number }[] = [];
  for (let i = 1; i < x.length; i++) {
    const [fromX, toX] = [Math.round(x[i - 1]), Math.round(x[i])];
    const [fromY, toY] = [Math.round(y[i - 1]), Math.round(y[i])];
    const dense = isDense[i - 1] && isDense[i];
    // The line changes its row where the next event begins.
    if (toX - fromX <= 1) upright.add(dense, toX, fromY, toY);
    else if (fromY === toY) upright.level(dense, fromX, toX, toY);
    else slanted.push({ fromX, fromY, x: toX, y: toY });
  }
  return { ...upright.take(), slanted };
}

/** Joins upright bars of one pixel while they come. */
class Uprights {
  readonly #dense = emptyBars();
  readonly #line = emptyBars();
  #isDense = false;
  #x = NaN;
  #top = 0;
  #bottom = 0;

  add(isDense: boolean, x: number, fromY: number, toY: number): void {
    if (isDense !== this.#isDense || x !== this.#x) {
      this.#flush();
      [this.#isDense, this.#x, this.#top, this.#bottom] = [isDense, x, fromY, fromY];
    }
    this.#top = Math.min(this.#top, fromY, toY);
    this.#bottom = Math.max(this.#bottom, fromY, toY);
  }

  level(isDense: boolean, fromX: number, toX: number, y: number): void {
    this.#put(isDense, fromX, y, toX - fromX, 0);
  }

  take(): { readonly dense: Bars; readonly line: Bars } {
    this.#flush();
    return { dense: this.#dense, line: this.#line };
  }

  #flush(): void {
    if (!Number.isNaN(this.#x)) this.#put(this.#isDense, this.#x, this.#top, 0, this.#bottom - this.#top);
    this.#x = NaN;
  }

  /** A line of no width becomes a bar: around it where it is `PATH_WIDTH` wide. */
  #put(isDense: boolean, x: number, y: number, width: number, height: number): void {
    const bars = isDense ? this.#dense : this.#line;
    const wide = isDense ? 1 : PATH_WIDTH;
    const out = isDense ? 0 : PATH_WIDTH / 2;
    bars.x.push(x - out);
    bars.y.push(y - out);
    bars.width.push(width + wide);
    bars.height.push(height + wide);
  }
}

const emptyBars = (): { x: number[]; y: number[]; width: number[]; height: number[] } => ({
  x: [],
  y: [],
  width: [],
  height: [],
});
