/**
 * Thin rectangles as a picture that is a pixel high for each row, and stretched to the row's height: some rows of pixels are drawn far faster
 * than thousands of rectangles.
 */
export class Strips {
  readonly #target: CanvasRenderingContext2D;
  readonly #canvas = document.createElement('canvas');
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData;
  #pixels: Uint32Array;
  #width = 0;

  /** `target`: what is drawn on. */
  constructor(target: CanvasRenderingContext2D) {
    const context = this.#canvas.getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('this browser has no canvas');
    this.#target = target;
    this.#context = context;
    this.#image = context.createImageData(1, 1);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Empty strips. */
  begin(width: number, rows: number): void {
    if (this.#image.width !== width || this.#image.height < rows) {
      this.#canvas.width = width;
      this.#canvas.height = rows;
      this.#image = this.#context.createImageData(width, rows);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
    this.#width = width;
    this.#pixels.fill(0);
  }

  /** `colour`: as `pixelOf`. Where something is already, `isFaint` gives way. */
  put(row: number, left: number, wide: number, colour: number, isFaint: boolean): void {
    const from = Math.max(left, 0);
    const to = Math.min(left + wide, this.#width);
    for (let x = from; x < to; x++) {
      const at = row * this.#width + x;
      if (!isFaint || this.#pixels[at] === 0) this.#pixels[at] = colour;
    }
  }

  /** Rows from the first one, each at its top, in CSS pixels. */
  draw(tops: readonly number[], height: number): void {
    this.#context.putImageData(this.#image, 0, 0);
    this.#target.imageSmoothingEnabled = false;
    tops.forEach((top, row) => {
      this.#target.drawImage(this.#canvas, 0, row, this.#width, 1, 0, top, this.#width, height);
    });
  }
}

/** `#rrggbb` as a pixel of image data. */
export function pixelOf(colour: string): number {
  const rgb = Number.parseInt(colour.slice(1), 16);
  return ((0xff << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
