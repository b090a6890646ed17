/** What is seen of the lanes, with their names, as a picture. */
import { escapeText, formatDur } from '../../base/format.ts';
import { valueText } from '../timeline/counter-columns.ts';
import { DrawList } from '../timeline/draw-list.ts';
import { type Pen, SvgPen } from '../timeline/pen.ts';
import { exactText, spanOf } from '../timeline/view.ts';
import type { Model } from './model.ts';
import { FONT, cut, yOf } from './frame.ts';
import { paint } from './paint.ts';
import { RULER_HEIGHT } from './frame.ts';
import { type Palette, readPalette } from './palette.ts';
import { createBuckets } from './stage.ts';

const NAMES = 200;
const CAPTION = 20;

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(model: Model): Size {
  const { width, height } = model.size.peek();
  const below = Math.min(height, model.layout.peek().height - model.top.peek());
  return { width: width + NAMES, height: Math.max(below, 40) + RULER_HEIGHT + CAPTION };
}

export function svgOf(model: Model): string {
  const pen = new SvgPen();
  const size = sizeOf(model);
  draw(pen, model, readPalette(), size);
  return pen.toText(size.width, size.height, `${escapeText(model.timeline.file)}: ${captionOf(model)}`);
}

/** Twice as fine as it is on the screen. */
const FINE = 2;

export function pngOf(model: Model): Promise<Blob> {
  const size = sizeOf(model);
  const canvas = document.createElement('canvas');
  canvas.width = size.width * FINE;
  canvas.height = size.height * FINE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser has no canvas');
  context.scale(FINE, FINE);
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  draw(context, model, readPalette(), size);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob)));
  });
}

function draw(pen: Pen, model: Model, palette: Palette, { width, height }: Size): void {
  const lanes = height - CAPTION;
  pen.translate(NAMES, 0);
  paint({ pen, model, palette, list: new DrawList(), buckets: createBuckets(), width: width - NAMES, height: lanes });
  pen.translate(-NAMES, 0);
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, NAMES, height);
  pen.fillRect(0, lanes, width, CAPTION);
  pen.font = FONT;
  pen.fillStyle = palette.ink;
  const columns = Math.floor((NAMES - 8) / pen.measureText('0').width);
  for (const { lane, top, counterTop } of model.layout.peek().lanes) {
    const y = yOf(model, top) + 10;
    if (y > RULER_HEIGHT && y < lanes) pen.fillText(cut(lane.title, columns), 6, y);
    const counter = lane.counter === undefined ? undefined : model.timeline.counters[lane.counter];
    if (counterTop === undefined || counter === undefined) continue;
    const below = yOf(model, counterTop) + 12;
    if (below > RULER_HEIGHT && below < lanes) {
      pen.fillText(cut(`  up to ${valueText(counter.max, counter.unit)}`, columns), 6, below);
    }
  }
  pen.fillStyle = palette.dim;
  pen.fillText(
    cut(`${escapeText(model.timeline.file)}: ${captionOf(model)}`, Math.floor((width - 12) / 6.62)),
    6,
    lanes + 10,
  );
}

function captionOf(model: Model): string {
  const view = model.view.peek();
  return `${exactText(view.start)} to ${exactText(view.end)} (${formatDur(Math.round(spanOf(view)))})`;
}
