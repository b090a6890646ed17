import { type Direction, neighbour, nearestIn, segmentAt } from '../timeline/events.ts';
import { rowsBetween } from '../timeline/lanes.ts';
import { type View, fitted, panned, wholeOf, zoomed } from '../timeline/view.ts';
import { type Model, NONE, PANELS, type PanelId } from './model.ts';

/** Each key, and what it does: the help is made of this list. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['W, S', 'zoom in, out (also Ctrl and the wheel)'],
  ['A, D, ←, →', 'earlier, later (also Shift and the wheel, or drag)'],
  ['↑, ↓', 'scroll the lanes'],
  ['Shift and ←, →', 'select the event before, after, in its row'],
  ['Shift and ↑, ↓', 'select the event above, below'],
  ['P, Shift P', 'select the next, previous event on the path'],
  ['.  ,', 'fit the next, previous step'],
  ['F', 'fit the selected event'],
  ['R', 'sum an area: the selected event’s time, else what is in view (also Shift and drag)'],
  ['Z', 'zoom to the area, else to the selected event'],
  ['0', 'show the whole trace'],
  ['M', 'dim all that is not on the path'],
  ['/', 'search; then Enter or N: next hit, Shift: previous'],
  ['T', 'what is in view as a table'],
  ['1 … 7', 'the lists below: events, area, steps, idle gaps, kernels, data health, notes'],
  ['L', 'filter the lanes'],
  ['Alt and ↑, ↓, P', 'on a lane’s name: move it, pin it'],
  ['Esc', 'clear the selection, then the area'],
  ['?', 'this list'],
];

const PAN = 0.15;
const CLOSER = 0.7;
const SCROLL = 54;

/** Does what a key means; true where it means something. */
export function pressKey(model: Model, event: KeyboardEvent): boolean {
  const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea, dialog') !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return false;
  const act = event.shiftKey ? (SHIFTED[event.key] ?? PLAIN[event.key]) : PLAIN[event.key.toLowerCase()];
  act?.(model);
  return act !== undefined;
}

type Act = (model: Model) => void;

const move =
  (change: (view: View, model: Model) => View): Act =>
  (model) => {
    model.view.value = change(model.view.value, model);
  };
const zoom = (factor: number): Act => move((view, model) => zoomed(view, factor, middleOf(model), model.bounds));
const pan = (share: number): Act => move((view, { bounds }) => panned(view, share, bounds));
const scroll =
  (by: number): Act =>
  (model) => {
    const most = Math.max(0, model.layout.value.height - model.size.value.height);
    model.top.value = Math.min(Math.max(model.top.value + by, 0), most);
  };
const toNeighbour =
  (direction: Direction): Act =>
  (model) => {
    const selected = model.selected.value;
    const hidden = model.layout.value.isHidden;
    model.show(
      selected === NONE
        ? firstInView(model)
        : neighbour(model.timeline, selected, direction, (row) => hidden[row] === 1),
    );
  };

/** What is zoomed at: the pointer, else the selection where it is in view, else the middle. */
function middleOf(model: Model): number {
  const { start, end } = model.view.value;
  const at = model.cursor.value?.time;
  if (at !== undefined) return at;
  const selected = model.selected.value;
  const middle = (model.startOf(selected) + model.endOf(selected)) / 2;
  return selected !== NONE && middle > start && middle < end ? middle : (start + end) / 2;
}

/** Where the keyboard begins: what runs in the middle of the first row that is shown. */
function firstInView(model: Model): number {
  const { start, end } = model.view.value;
  for (const row of rowsBetween(model.layout.value, model.top.value, Infinity)) {
    const event = nearestIn(model.timeline, row, (start + end) / 2);
    if (event !== NONE) return event;
  }
  return NONE;
}

/** The next event of the path that is another than the selected one. */
export const alongPath =
  (by: 1 | -1): Act =>
  (model) => {
    const { timeline } = model;
    const selected = model.selected.value;
    const view = model.view.value;
    const from = selected === NONE ? (by === 1 ? view.start : view.end) : middle(model, selected);
    let at = segmentAt(timeline, from);
    if (at === NONE) at = by === 1 ? NONE : timeline.pathStart.length;
    for (let s = selected === NONE ? Math.max(at, 0) : at + by; s >= 0 && s < timeline.pathStart.length; s += by) {
      const event = model.eventAt(timeline.pathPosition[s] ?? NONE);
      if (event === NONE || event === selected) continue;
      model.show(event);
      return;
    }
  };

const middle = (model: Model, event: number): number => (model.startOf(event) + model.endOf(event)) / 2;

const toWindow =
  (by: 1 | -1): Act =>
  (model) => {
    const { windows } = model.timeline;
    const { start, end } = model.view.value;
    const centre = (start + end) / 2;
    const at = windows.findIndex(({ startNs, endNs }) => startNs <= centre && centre < endNs);
    // A view that is wider than a step has none yet.
    const isWide = at !== -1 && end - start > 1.5 * ((windows[at]?.endNs ?? 0) - (windows[at]?.startNs ?? 0));
    const next = at === -1 || isWide ? (by === 1 ? 0 : windows.length - 1) : at + by;
    const window = windows[Math.min(Math.max(next, 0), windows.length - 1)];
    if (window !== undefined) fitWindow(model, window);
  };

export function fitWindow(
  model: Model,
  { startNs, endNs }: { readonly startNs: number; readonly endNs: number },
): void {
  model.view.value = fitted({ start: startNs, end: endNs }, model.bounds, 0.02);
}

const togglePanel =
  (panel: PanelId): Act =>
  (model) => {
    model.panel.value = model.panel.value === panel ? '' : panel;
  };

const PLAIN: Readonly<Record<string, Act>> = {
  w: zoom(CLOSER),
  s: zoom(1 / CLOSER),
  '+': zoom(CLOSER),
  '=': zoom(CLOSER),
  '-': zoom(1 / CLOSER),
  a: pan(-PAN),
  d: pan(PAN),
  arrowleft: pan(-PAN),
  arrowright: pan(PAN),
  arrowup: scroll(-SCROLL),
  arrowdown: scroll(SCROLL),
  p: alongPath(1),
  '.': toWindow(1),
  ',': toWindow(-1),
  f: (model) => model.fit(model.selected.value),
  '0': move((_, { bounds }) => wholeOf(bounds)),
  m: (model) => (model.isDimmed.value = !model.isDimmed.value),
  n: (model) => model.jump(1),
  t: togglePanel('events'),
  ...Object.fromEntries(PANELS.map((panel, i) => [String(i + 1), togglePanel(panel)])),
  r: (model) => model.takeArea(),
  z: (model) => model.zoomTo(),
  l: () => document.getElementById('lane-filter')?.focus(),
  escape: (model) => {
    if (model.selected.value === NONE) model.area.value = undefined;
    else model.select(NONE);
  },
  '?': (model) => (model.hasHelp.value = !model.hasHelp.value),
  '/': () => document.getElementById('search')?.focus(),
};

const SHIFTED: Readonly<Record<string, Act>> = {
  ArrowLeft: toNeighbour('left'),
  ArrowRight: toNeighbour('right'),
  ArrowUp: toNeighbour('up'),
  ArrowDown: toNeighbour('down'),
  P: alongPath(-1),
  N: (model) => model.jump(-1),
  W: zoom(CLOSER),
  S: zoom(1 / CLOSER),
  A: pan(-PAN),
  D: pan(PAN),
};
