import { useEffect, useRef } from 'preact/hooks';
import { effect } from '@preact/signals';
import { formatDur } from '../../base/format.ts';
import { counterAt } from '../timeline/counter-columns.ts';
import { DrawList, rectangleAt } from '../timeline/draw-list.ts';
import { type PlacedLane, rowAt } from '../timeline/lanes.ts';
import { exactText, panned, spanOf, timeAt, within, zoomed } from '../timeline/view.ts';
import { type Model, NONE } from './model.ts';
import { MAP_HEIGHT, RULER_HEIGHT, mapTimeAt, paint } from './paint.ts';
import { type Palette, readPalette } from './palette.ts';

interface Props {
  readonly model: Model;
}

/** The lanes: their names as buttons, their events on a canvas. */
export function LanesView({ model }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (scroller.current === null || canvas.current === null) return undefined;
    return attach(model, scroller.current, canvas.current);
  }, [model]);
  const { lanes, height } = model.layout.value;
  return (
    <div class="lanes" ref={scroller}>
      <div class="names" style={{ height: `${height + RULER_HEIGHT}px` }}>
        <div class="corner" style={{ height: `${RULER_HEIGHT}px` }}>
          {model.timeline.rank === undefined ? 'lanes' : `rank ${model.timeline.rank}`}
        </div>
        {lanes.map((placed) => (
          <LaneName key={placed.lane.id} model={model} placed={placed} />
        ))}
      </div>
      <div class="picture">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label="Timeline. Keys: W A S D to move, Shift and arrows to select, P for the path, T for a table, ? for all keys."
          aria-describedby="said"
        />
        <Tip model={model} />
      </div>
    </div>
  );
}

function LaneName({ model, placed }: Props & { readonly placed: PlacedLane }) {
  const { lane, top, isFolded, counterTop } = placed;
  const counter = lane.counter === undefined ? undefined : model.timeline.counters[lane.counter];
  return (
    <>
      <button
        type="button"
        class="lane-name"
        style={{ top: `${top + RULER_HEIGHT}px` }}
        aria-expanded={!isFolded}
        title={`${lane.title} (${lane.id})`}
        onClick={() => model.toggle(lane.id)}
      >
        <span aria-hidden="true">{isFolded ? '▸' : '▾'}</span> {lane.title}
      </button>
      {counterTop === undefined || counter === undefined ? null : (
        <div class="counter-name" style={{ top: `${counterTop + RULER_HEIGHT}px` }}>
          queue depth, at most {counter.max}
        </div>
      )}
    </>
  );
}

/** Beside the pointer: the instant, and what is under it. */
function Tip({ model }: Props) {
  const cursor = model.cursor.value;
  if (cursor === undefined) return null;
  const { width } = model.size.value;
  const event = eventUnder(model, cursor.x, cursor.y);
  const isRight = cursor.x > width / 2;
  const style = {
    top: `${Math.max(cursor.y + 14, RULER_HEIGHT)}px`,
    ...(isRight ? { right: `${width - cursor.x + 10}px` } : { left: `${cursor.x + 12}px` }),
  };
  return (
    <div class="tip" style={style} aria-hidden="true">
      <b>{exactText(cursor.time)}</b>
      {event === undefined ? null : <p>{event}</p>}
    </div>
  );
}

const lists = new WeakMap<Model, DrawList>();
function listOf(model: Model): DrawList {
  const known = lists.get(model) ?? new DrawList();
  lists.set(model, known);
  return known;
}

function eventUnder(model: Model, x: number, y: number): string | undefined {
  const list = listOf(model);
  const at = hit(model, x, y);
  if (at !== NONE) {
    const event = list.event[at] ?? 0;
    const length = formatDur(model.endOf(event) - model.startOf(event));
    const count = list.count[at] ?? 1;
    const more = count > 1 ? `, the longest of ${count} merged here` : '';
    return `${model.nameOf(event).slice(0, 160)}: ${length}${more}`;
  }
  const height = y - RULER_HEIGHT + model.top.value;
  const placed = model.layout.value.lanes.find(
    ({ counterTop, counterHeight }) =>
      counterTop !== undefined && counterTop <= height && height < counterTop + counterHeight,
  );
  if (placed?.lane.counter === undefined || model.cursor.value === undefined) return undefined;
  const counter = model.timeline.counters[placed.lane.counter];
  const value = counterAt(model.timeline, placed.lane.counter, model.cursor.value.time);
  return counter === undefined ? undefined : `${counter.title}: ${value} ${counter.unit}`;
}

/** The rectangle of the last frame that is drawn at a pixel, or `NONE`. */
function hit(model: Model, x: number, y: number): number {
  if (y < RULER_HEIGHT) return NONE;
  const row = rowAt(model.layout.value, y - RULER_HEIGHT + model.top.value);
  return row === -1 ? NONE : rectangleAt(listOf(model), row, x);
}

/** Joins the model with the canvas and its pointer; returns what parts them. */
function attach(model: Model, scroller: HTMLDivElement, canvas: HTMLCanvasElement): () => void {
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser has no canvas');
  let palette: Palette = readPalette();
  let asked = 0;
  const list = listOf(model);
  const draw = (): void => {
    asked = 0;
    const { width, height } = model.size.peek();
    if (width === 0) return;
    paint({ context, model, palette, list, width, height: height + RULER_HEIGHT });
  };
  const redraw = (): void => {
    if (asked === 0) asked = requestAnimationFrame(draw);
  };
  const resize = (): void => {
    const width = Math.max(canvas.parentElement?.clientWidth ?? 0, 1);
    const height = scroller.clientHeight;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    model.size.value = { width, height: Math.max(height - RULER_HEIGHT, 0) };
    redraw();
  };
  const observer = new ResizeObserver(resize);
  observer.observe(scroller);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = (): void => {
    palette = readPalette();
    redraw();
  };
  scheme.addEventListener('change', recolour);
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
  const stopPointing = listen(model, scroller, canvas);
  return () => {
    observer.disconnect();
    scheme.removeEventListener('change', recolour);
    scroller.removeEventListener('scroll', onScroll);
    stopDrawing();
    stopScrolling();
    stopPointing();
    cancelAnimationFrame(asked);
  };
}

/** Reads all that a frame is made of. */
function watch(model: Model): void {
  const { view, selected, isDimmed, top, size, cursor, arrows, layout, hits } = model;
  for (const each of [view, selected, isDimmed, top, size, cursor, arrows, layout, hits]) void each.value;
}

const CLICK_PX = 4;

function listen(model: Model, scroller: HTMLDivElement, canvas: HTMLCanvasElement): () => void {
  let dragged: { readonly x: number; readonly y: number; readonly isMap: boolean; moved: boolean } | undefined;
  let last = { x: 0, y: 0 };
  const placeOf = (event: MouseEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const width = (): number => model.size.peek().width;
  const goTo = (x: number): void => {
    const view = model.view.peek();
    const start = mapTimeAt(model, x, width()) - spanOf(view) / 2;
    model.view.value = within({ start, end: start + spanOf(view) }, model.bounds);
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const place = placeOf(event);
    const isMap = place.y < MAP_HEIGHT;
    dragged = { ...place, isMap, moved: false };
    last = place;
    canvas.setPointerCapture(event.pointerId);
    if (isMap) goTo(place.x);
  };
  const moveTo = (event: PointerEvent): void => {
    const place = placeOf(event);
    if (dragged !== undefined) {
      dragged.moved ||= Math.hypot(place.x - dragged.x, place.y - dragged.y) >= CLICK_PX;
      if (dragged.isMap) goTo(place.x);
      else if (dragged.moved) {
        model.view.value = panned(model.view.peek(), (last.x - place.x) / width(), model.bounds);
        scroller.scrollTop += last.y - place.y;
      }
    }
    last = place;
    const time = Math.round(timeAt(place.x, model.view.peek(), width()));
    model.cursor.value = { time, ...place };
  };
  const up = (event: PointerEvent): void => {
    const was = dragged;
    dragged = undefined;
    if (was === undefined || was.moved || was.isMap) return;
    const { x, y } = placeOf(event);
    const at = hit(model, x, y);
    model.select(at === NONE ? NONE : pick(model, at));
  };
  const leave = (): void => {
    model.cursor.value = undefined;
  };
  const twice = (): void => model.fit(model.selected.peek());
  const wheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
    if (!isZoom && Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    const view = model.view.peek();
    const at = timeAt(placeOf(event).x, view, width());
    model.view.value = isZoom
      ? zoomed(view, Math.exp(event.deltaY * 0.0025), at, model.bounds)
      : panned(view, sideways / width(), model.bounds);
  };
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', moveTo);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('dblclick', twice);
  canvas.addEventListener('wheel', wheel, { passive: false });
  return () => {
    canvas.removeEventListener('pointerdown', down);
    canvas.removeEventListener('pointermove', moveTo);
    canvas.removeEventListener('pointerup', up);
    canvas.removeEventListener('pointerleave', leave);
    canvas.removeEventListener('dblclick', twice);
    canvas.removeEventListener('wheel', wheel);
  };
}

/** Of what was merged the longest; where all but the path is dimmed, what of it is on the path. */
function pick(model: Model, at: number): number {
  const list = listOf(model);
  const onPath = list.onPath[at] ?? NONE;
  return model.isDimmed.peek() && onPath !== NONE ? onPath : (list.event[at] ?? NONE);
}
