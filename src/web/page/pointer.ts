/** Mouse, pen and fingers on the canvas. */
import { laneAt } from '../timeline/lanes.ts';
import { panned, spanOf, timeAt, within, zoomed } from '../timeline/view.ts';
import type { Model } from './model.ts';
import { MAP_HEIGHT, RULER_HEIGHT } from './frame.ts';
import { mapTimeAt } from './paint-ruler.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

/** A press that goes on: in the strip, over the lanes, or (with Shift) over an area. */
interface Drag {
  readonly from: Place;
  readonly what: 'map' | 'lanes' | 'area';
  moved: boolean;
}

const CLICK_PX = 4;
/** Of the wheel, to a factor. */
const WHEEL = 0.0025;

/** `pick`: the event at a pixel, or `NONE`. Returns what ends it. */
export function listenToPointer(
  model: Model,
  scroller: HTMLDivElement,
  canvas: HTMLCanvasElement,
  pick: (x: number, y: number) => number,
): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let drag: Drag | undefined;
  /** All that press now, by their id: two of them pinch. */
  const pressed = new Map<number, Place>();
  const placeOf = (event: MouseEvent): Place => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const width = (): number => model.size.peek().width;
  const timeOf = (x: number): number => timeAt(x, model.view.peek(), width());

  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const place = placeOf(event);
    pressed.set(event.pointerId, place);
    canvas.setPointerCapture(event.pointerId);
    if (pressed.size > 1) {
      if (drag !== undefined) drag.moved = true;
      return;
    }
    drag = { from: place, what: place.y < MAP_HEIGHT ? 'map' : event.shiftKey ? 'area' : 'lanes', moved: false };
    if (drag.what === 'map') centre(model, place.x);
  };
  const onMove = (event: PointerEvent): void => {
    const place = placeOf(event);
    const before = pressed.get(event.pointerId);
    if (before !== undefined) {
      if (pressed.size === 2) pinch(model, pressed, event.pointerId, place);
      else if (drag !== undefined) dragTo(before, place);
      pressed.set(event.pointerId, place);
    }
    model.cursor.value = { time: Math.round(timeOf(place.x)), ...place };
  };
  const dragTo = (before: Place, place: Place): void => {
    if (drag === undefined) return;
    drag.moved ||= Math.hypot(place.x - drag.from.x, place.y - drag.from.y) >= CLICK_PX;
    if (drag.what === 'map') centre(model, place.x);
    else if (!drag.moved) return;
    else if (drag.what === 'area') selectArea(model, drag.from, place);
    else {
      model.view.value = panned(model.view.peek(), (before.x - place.x) / width(), model.bounds);
      scroller.scrollTop += before.y - place.y;
    }
  };
  const onUp = (event: PointerEvent): void => {
    pressed.delete(event.pointerId);
    if (pressed.size > 0) return;
    const was = drag;
    drag = undefined;
    if (was === undefined) return;
    if (was.what === 'area' && was.moved) model.panel.value = 'area';
    if (was.moved || was.what === 'map') return;
    const { x, y } = placeOf(event);
    model.select(pick(x, y));
  };
  const onCancel = (event: PointerEvent): void => {
    pressed.delete(event.pointerId);
    drag = undefined;
  };
  const onWheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
    if (!isZoom && Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    const view = model.view.peek();
    model.view.value = isZoom
      ? zoomed(view, Math.exp(event.deltaY * WHEEL), timeOf(placeOf(event).x), model.bounds)
      : panned(view, sideways / width(), model.bounds);
  };
  canvas.addEventListener('pointerdown', onDown, { signal });
  canvas.addEventListener('pointermove', onMove, { signal });
  canvas.addEventListener('pointerup', onUp, { signal });
  canvas.addEventListener('pointercancel', onCancel, { signal });
  canvas.addEventListener('pointerleave', () => (model.cursor.value = undefined), { signal });
  canvas.addEventListener('dblclick', () => model.fit(model.selected.peek()), { signal });
  canvas.addEventListener('wheel', onWheel, { passive: false, signal });
  return () => ending.abort();
}

/** What is in view moves to a place of the strip. */
function centre(model: Model, x: number): void {
  const span = spanOf(model.view.peek());
  const start = mapTimeAt(model, x, model.size.peek().width) - span / 2;
  model.view.value = within({ start, end: start + span }, model.bounds);
}

const LEAST_PINCH = 12;

/** Two fingers: what is between them stays between them. */
function pinch(model: Model, pressed: ReadonlyMap<number, Place>, moving: number, to: Place): void {
  const { width } = model.size.peek();
  const from = pressed.get(moving);
  const [other] = [...pressed].filter(([id]) => id !== moving).map(([, place]) => place);
  if (from === undefined || other === undefined) return;
  const [before, after] = [Math.abs(from.x - other.x), Math.abs(to.x - other.x)];
  const factor = Math.max(before, LEAST_PINCH) / Math.max(after, LEAST_PINCH);
  const view = model.view.peek();
  const at = timeAt((from.x + other.x) / 2, view, width);
  const closer = zoomed(view, factor, at, model.bounds);
  model.view.value = panned(closer, (from.x - to.x) / 2 / width, model.bounds);
}

/** The span between two places, in the lanes between them; from the axis, in all lanes. */
function selectArea(model: Model, from: Place, to: Place): void {
  const { width } = model.size.peek();
  const view = model.view.peek();
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const start = Math.floor(timeAt(Math.max(left, 0), view, width));
  const end = Math.max(Math.ceil(timeAt(Math.min(right, width), view, width)), start + 1);
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  if (top < RULER_HEIGHT) {
    model.area.value = { start, end };
    return;
  }
  const layout = model.layout.peek();
  const [first, last] = [top, bottom].map((y) => laneAt(layout, model.heightAt(y - RULER_HEIGHT)));
  const at = (lane: typeof first, none: number): number => (lane === undefined ? none : layout.lanes.indexOf(lane));
  const lanes = layout.lanes.slice(at(first, 0), at(last, layout.lanes.length - 1) + 1).map(({ lane }) => lane.id);
  model.area.value = { start, end, lanes };
}
