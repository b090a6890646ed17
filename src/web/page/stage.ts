/** The canvas: draws what the model holds whenever that changes, and tells what is where. */
import { effect } from '@preact/signals';
import { formatCount, formatDur } from '../../base/format.ts';
import { EVENT_KINDS, countOf, coveredOf } from '../../protocol/timeline.ts';
import { counterAt, valueText } from '../timeline/counter-columns.ts';
import { DrawList, MOST_RECTANGLES, rectangleAt } from '../timeline/draw-list.ts';
import { laneAt, rowAt } from '../timeline/lanes.ts';
import { type Model, NONE } from './model.ts';
import { Buckets } from './frame.ts';
import { paint } from './paint.ts';
import { RULER_HEIGHT } from './frame.ts';
import { type Palette, SHADES, readPalette } from './palette.ts';
import { listenToPointer } from './pointer.ts';
import { watchScheme } from './scheme.ts';
import { Strips } from './strips.ts';

/** What was drawn last, by model: a click asks it. */
const lists = new WeakMap<Model, DrawList>();
function listOf(model: Model): DrawList {
  const known = lists.get(model) ?? new DrawList();
  lists.set(model, known);
  return known;
}

/** Colours of rectangles: each kind faint, and in each shade. */
export const createBuckets = (): Buckets => new Buckets(EVENT_KINDS.length * (SHADES.length + 1), MOST_RECTANGLES);

/** Joins the model with the canvas and its pointer; returns what parts them. */
export function attachStage(model: Model, scroller: HTMLDivElement, canvas: HTMLCanvasElement): () => void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser has no canvas');
  let palette: Palette = readPalette();
  let asked = 0;
  const list = listOf(model);
  const buckets = createBuckets();
  const strips = new Strips(context);
  const draw = (): void => {
    asked = 0;
    const { width, height } = model.size.peek();
    if (width === 0) return;
    paint({ pen: context, model, palette, list, buckets, strips, width, height: height + RULER_HEIGHT });
  };
  const redraw = (): void => {
    if (asked === 0) asked = requestAnimationFrame(draw);
  };
  const resize = (): void => {
    const width = Math.max(canvas.parentElement?.clientWidth ?? 0, 1);
    const height = scroller.clientHeight;
    // The other view of a report is shown: nothing of this one is seen.
    if (height === 0) return;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    model.size.value = { width, height: Math.max(height - RULER_HEIGHT, 0) };
    redraw();
  };
  const observer = new ResizeObserver(resize);
  observer.observe(scroller);
  const stopColouring = watchScheme(model.scheme, () => {
    palette = readPalette();
    redraw();
  });
  const stopDrawing = effect(() => {
    watch(model);
    redraw();
  });
  const stopScrolling = effect(() => {
    const top = model.top.value;
    if (Math.abs(scroller.scrollTop - top) >= 1) scroller.scrollTop = top;
  });
  const onScroll = (): void => {
    model.top.value = scroller.scrollTop;
  };
  scroller.addEventListener('scroll', onScroll);
  const stopPointing = listenToPointer(model, scroller, canvas, (x, y) => pick(model, x, y));
  return () => {
    observer.disconnect();
    stopColouring();
    scroller.removeEventListener('scroll', onScroll);
    stopDrawing();
    stopScrolling();
    stopPointing();
    cancelAnimationFrame(asked);
  };
}

/** Reads all that a frame is made of. The pointer's line is no part of it. */
function watch(model: Model): void {
  const { view, selected, isDimmed, top, size, arrows, layout, hits, area, notes, map } = model;
  for (const each of [view, selected, isDimmed, top, size, arrows, layout, hits, area, notes, map]) void each.value;
}

/** The rectangle of the last frame that is drawn at a pixel, or `NONE`. */
function hit(model: Model, x: number, y: number): number {
  if (y < RULER_HEIGHT) return NONE;
  const row = rowAt(model.layout.value, model.heightAt(y - RULER_HEIGHT));
  return row === -1 ? NONE : rectangleAt(listOf(model), row, x);
}

/** The event at a pixel: of what was merged the longest; where all but the path is dimmed, what of it is on the path. */
function pick(model: Model, x: number, y: number): number {
  const at = hit(model, x, y);
  if (at === NONE) return NONE;
  const list = listOf(model);
  const onPath = list.onPath[at] ?? NONE;
  return model.isDimmed.peek() && onPath !== NONE ? onPath : (list.event[at] ?? NONE);
}

/** What is at a pixel, in words. */
export function wordsAt(model: Model, x: number, y: number): string | undefined {
  const list = listOf(model);
  const at = hit(model, x, y);
  if (at !== NONE) {
    const event = list.event[at] ?? 0;
    const length = formatDur(coveredOf(model.timeline, event));
    if (countOf(model.timeline, event) > 1) {
      return `${formatCount(countOf(model.timeline, event))} events, each too short to lie in this file by itself: ${length}`;
    }
    const count = list.count[at] ?? 1;
    const more = count > 1 ? `, the longest of ${count} merged here` : '';
    return `${model.nameOf(event).slice(0, 160)}: ${length}${more}`;
  }
  if (y < RULER_HEIGHT || model.cursor.value === undefined) return undefined;
  const height = model.heightAt(y - RULER_HEIGHT);
  const placed = laneAt(model.layout.value, height);
  if (placed?.counterTop === undefined || placed.lane.counter === undefined || height < placed.counterTop) {
    return undefined;
  }
  const counter = model.timeline.counters[placed.lane.counter];
  if (counter?.unit === 'B' && model.cursor.value.time < firstTold(model, placed.lane.counter)) {
    return `${counter.title}: not known before its first row`;
  }
  const value = counterAt(model.timeline, placed.lane.counter, model.cursor.value.time);
  return counter === undefined ? undefined : `${counter.title}: ${valueText(value, counter.unit)}`;
}

const firstTold = ({ timeline }: Model, counter: number): number =>
  timeline.counterTime[timeline.counterFirst[counter] ?? 0] ?? Infinity;
