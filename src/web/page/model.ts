import { type ReadonlySignal, type Signal, batch, computed, signal } from '@preact/signals';
import { escapeText } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { Memory, Note } from '../../protocol/calls.ts';
import { EVENT_KINDS, type EventKind, type Timeline, type TimelineLane, countOf } from '../../protocol/timeline.ts';
import type { Area } from '../timeline/area.ts';
import { type CounterPeaks, buildCounterPeaks } from '../timeline/counter-columns.ts';
import { eventsByPosition, laneOf, markPath, rowOf } from '../timeline/events.ts';
import { type LaneLayout, ROW_HEIGHT, isFoldedAtFirst, placeLanes } from '../timeline/lanes.ts';
import { type LaneOrder, type LaneWishes, movedLane, orderLanes } from '../timeline/lane-order.ts';
import { withMemory } from '../timeline/memory-lanes.ts';
import { mapHeights } from '../timeline/overview-map.ts';
import { type PathRows, buildPathRows } from '../timeline/path-line.ts';
import { type PageState, type Scheme, stateOfText, textOfState } from '../timeline/page-state.ts';
import { type Pyramid, buildPyramid } from '../timeline/pyramid.ts';
import { nextHit, parseQuery } from '../timeline/search.ts';
import { type Bounds, type View, fitted, spanOf, wholeOf, within } from '../timeline/view.ts';

export const NONE = -1;

/** Lists below the timeline, in the order of their tabs. */
export const PANELS = ['events', 'area', 'steps', 'idle', 'kernels', 'health', 'notes'] as const;
export type PanelId = (typeof PANELS)[number];
export const isPanel = (text: string): text is PanelId => PANELS.some((each) => each === text);

/** Of the height of the picture. */
const MOST_PINNED = 0.6;

/** An arrow to the selection: from a moment that it had to wait for. */
export interface Arrow {
  readonly fromEvent: number;
  readonly fromNs: number;
  readonly toNs: number;
  readonly isBound: boolean;
  /** What it is, and by how much it did not bind. */
  readonly label: string;
}

/** All that the page knows, and all that it may change. Events are rows of the timeline's columns, `NONE` where there is none. */
export class Model {
  /** What changes in it are lanes without rows, and counters: see `addMemory`. */
  timeline: Timeline;
  readonly pyramid: Pyramid;
  peaks: CounterPeaks;
  /** By position in the file. */
  readonly eventOf: Int32Array;
  readonly bounds: Bounds;
  /** By name: as it is shown. */
  readonly shown: readonly string[];
  /** Kinds that occur. */
  readonly kinds: readonly EventKind[];

  readonly view: Signal<View>;
  readonly selected = signal(NONE);
  readonly isDimmed = signal(false);
  readonly scheme = signal<Scheme>('');
  readonly query = signal('');
  readonly toggled = signal<ReadonlySet<string>>(new Set());
  readonly wishes = signal<LaneWishes>({ pinned: [], order: [], filter: '' });
  /** A span of time, in some lanes or all: what is summed. */
  readonly area = signal<Area | undefined>(undefined);
  /** The list below the timeline. */
  readonly panel = signal<PanelId | ''>('');
  readonly hasHelp = signal(false);
  /** How far the lanes are scrolled, and what of them is seen, in pixels. */
  readonly top = signal(0);
  readonly size = signal({ width: 0, height: 0 });
  /** Under the pointer. */
  readonly cursor = signal<{ readonly time: number; readonly x: number; readonly y: number } | undefined>(undefined);
  readonly arrows = signal<readonly Arrow[]>([]);
  /** Words of a person on events and spans, in order of time. */
  readonly notes = signal<readonly Note[]>([]);
  /** What the timeline does not show, and why; '' where nothing is missing. */
  readonly lacks = signal('');
  /** What a screen reader is told. */
  readonly said = signal('');

  readonly order: ReadonlySignal<LaneOrder>;
  readonly layout: ReadonlySignal<LaneLayout>;
  /** In the order of the lanes: rows are told by their rank. */
  readonly pathRows: ReadonlySignal<PathRows>;
  /** How much the devices work, by pixel of the strip of the whole trace, 0…1. */
  readonly map: ReadonlySignal<Float64Array>;
  readonly hits: ReadonlySignal<Int32Array>;
  /** By event: hits before it, in the order of the columns; where there are any. */
  readonly hitsBefore: ReadonlySignal<Int32Array | undefined>;
  readonly queryProblem: ReadonlySignal<string | undefined>;
  readonly hash: ReadonlySignal<string>;

  readonly #grown: Signal<Timeline>;

  constructor(timeline: Timeline) {
    this.timeline = timeline;
    this.#grown = signal(timeline);
    this.eventOf = eventsByPosition(timeline);
    this.pyramid = buildPyramid(timeline, markPath(timeline, this.eventOf));
    this.peaks = buildCounterPeaks(timeline);
    this.bounds = { start: timeline.startNs, end: timeline.endNs };
    const seen = usedNames(timeline);
    this.kinds = seen.kinds;
    this.shown = shownNames(timeline, seen.kernels);
    this.view = signal(this.firstView());
    this.order = computed(() => orderLanes(this.#grown.value, this.wishes.value));
    this.layout = computed(() => {
      const toggled = this.toggled.value;
      return placeLanes(this.#grown.value, (lane) => isFoldedAtFirst(lane) !== toggled.has(lane.id), this.order.value);
    });
    this.pathRows = computed(() => {
      const { rankOf } = this.order.value;
      return buildPathRows(timeline, (segment) => {
        const event = this.eventAt(timeline.pathPosition[segment] ?? NONE);
        return event === NONE ? NONE : (rankOf[rowOf(timeline, event)] ?? NONE);
      });
    });
    this.map = computed(() => mapHeights(timeline, this.pyramid, this.size.value.width));
    const parsed = computed(() => parseQuery(this.query.value));
    this.hits = computed(() => (parsed.value.ok ? parsed.value.matches(timeline) : new Int32Array(0)));
    this.hitsBefore = computed(() => countsBefore(this.hits.value, timeline.start.length));
    this.queryProblem = computed(() => (parsed.value.ok ? undefined : parsed.value.why));
    this.hash = computed(() => textOfState(this.state()));
  }

  /** Lanes of memory, when they come, or why they do not. */
  addMemory({ series, problem }: Memory): void {
    if (problem !== undefined) this.lacks.value = problem;
    if (series.length === 0) return;
    this.timeline = withMemory(this.timeline, series);
    this.peaks = buildCounterPeaks(this.timeline);
    this.#grown.value = this.timeline;
  }

  /** What the path is of, where there is one. */
  firstView(): View {
    const [first] = this.timeline.windows;
    const last = this.timeline.windows.at(-1);
    if (first === undefined || last === undefined) return wholeOf(this.bounds);
    return fitted({ start: first.startNs, end: last.endNs }, this.bounds, 0.02);
  }

  state(): PageState {
    const selected = this.selected.value;
    const { pinned, order, filter } = this.wishes.value;
    const area = this.area.value;
    return {
      view: this.view.value,
      ...(selected === NONE ? {} : { event: this.positionOf(selected) }),
      isDimmed: this.isDimmed.value,
      query: this.query.value,
      toggled: [...this.toggled.value],
      ...(area === undefined ? {} : { area }),
      pinned,
      order,
      laneFilter: filter,
      panel: this.panel.value,
      top: this.top.value,
      scheme: this.scheme.value,
    };
  }

  /** Takes over what a link says. */
  restore(hash: string): void {
    const state = stateOfText(hash.replace(/^#/, ''));
    batch(() => {
      this.view.value = state.view === undefined ? this.firstView() : within(state.view, this.bounds);
      this.select(state.event === undefined ? NONE : this.eventAt(state.event));
      this.isDimmed.value = state.isDimmed;
      this.query.value = state.query;
      this.toggled.value = new Set(state.toggled);
      this.wishes.value = { pinned: state.pinned, order: state.order, filter: state.laneFilter };
      this.area.value = state.area;
      this.panel.value = isPanel(state.panel) ? state.panel : '';
      this.top.value = state.top;
      this.scheme.value = state.scheme;
    });
  }

  positionOf(event: number): number {
    return this.timeline.position[event] ?? NONE;
  }
  eventAt(position: number): number {
    return this.eventOf[position] ?? NONE;
  }
  startOf(event: number): number {
    return this.timeline.start[event] ?? 0;
  }
  endOf(event: number): number {
    return this.timeline.end[event] ?? 0;
  }
  kindOf(event: number): EventKind {
    return EVENT_KINDS[this.timeline.kind[event] ?? 0] ?? 'other';
  }
  nameOf(event: number): string {
    return this.shown[this.timeline.name[event] ?? 0] ?? '';
  }
  isOnPath(event: number): boolean {
    return this.pyramid.onPath[event] === 1;
  }
  laneOf(event: number): TimelineLane | undefined {
    return laneOf(this.timeline, event);
  }
  /** Where a height of the lanes is seen, in pixels from the first one's: pinned lanes stay, the others scroll below them. */
  seenAt(y: number): number {
    return y < this.stuck() ? y : y - this.top.value;
  }
  /** Pinned lanes stay where they leave room for others. */
  stuck(): number {
    const { pinnedHeight } = this.layout.value;
    return pinnedHeight <= this.size.value.height * MOST_PINNED ? pinnedHeight : 0;
  }
  /** The height of the lanes that is seen at a pixel. */
  heightAt(y: number): number {
    return y < this.stuck() ? y : y + this.top.value;
  }

  /** The top of the event's row, in pixels from the first lane's. */
  topOf(event: number): number {
    return this.layout.value.rowTop[rowOf(this.timeline, event)] ?? 0;
  }

  /** What stands for several events cannot be selected. */
  select(event: number): void {
    if (event === this.selected.peek() || (event !== NONE && countOf(this.timeline, event) > 1)) return;
    batch(() => {
      this.selected.value = event;
      this.arrows.value = [];
    });
  }

  /** Selects an event and brings it into view, unfolding its lane; closer where it would be a speck, farther where it has no room. */
  show(event: number): void {
    if (event === NONE) return;
    const lane = this.laneOf(event);
    const row = rowOf(this.timeline, event);
    batch(() => {
      this.select(event);
      if (lane !== undefined && !this.isShown(lane)) this.wishes.value = { ...this.wishes.value, filter: '' };
      if (lane !== undefined && this.layout.peek().isHidden[row] === 1) this.toggle(lane.id);
      const view = this.view.value;
      const [start, end] = [this.startOf(event), this.endOf(event)];
      const share = (end - start) / spanOf(view);
      if (share > 0.9 || share < 0.002) this.view.value = fitted({ start, end }, this.bounds, share > 0.9 ? 0.3 : 4);
      else if (start < view.start || end > view.end) {
        const by = (start + end) / 2 - (view.start + view.end) / 2;
        this.view.value = within({ start: view.start + by, end: view.end + by }, this.bounds);
      }
      this.scrollTo(event);
    });
  }

  scrollTo(event: number): void {
    const top = this.topOf(event);
    const seen = this.size.peek().height;
    const from = this.top.peek();
    const stuck = this.stuck();
    if (top < stuck) return;
    if (top < from + stuck || top + ROW_HEIGHT > from + seen) this.top.value = Math.max(0, Math.round(top - seen / 2));
  }

  isShown({ id }: TimelineLane): boolean {
    return this.layout.peek().lanes.some(({ lane }) => lane.id === id);
  }

  fit(event: number): void {
    if (event !== NONE) {
      this.view.value = fitted({ start: this.startOf(event), end: this.endOf(event) }, this.bounds, 0.3);
    }
  }

  /** Brings the area into view, else the selected event. */
  zoomTo(): void {
    const area = this.area.value;
    if (area === undefined) this.fit(this.selected.value);
    else this.view.value = fitted(area, this.bounds);
  }

  /** An area over the selected event’s time, else over what is in view, in all lanes. */
  takeArea(): void {
    const selected = this.selected.value;
    const { start, end } =
      selected === NONE ? this.view.value : { start: this.startOf(selected), end: this.endOf(selected) };
    this.area.value = { start: Math.floor(start), end: Math.max(Math.ceil(end), Math.floor(start) + 1) };
    this.panel.value = 'area';
  }

  toggle(lane: string): void {
    const next = new Set(this.toggled.peek());
    if (!next.delete(lane)) next.add(lane);
    this.toggled.value = next;
  }

  pin(lane: string): void {
    const { pinned } = this.wishes.peek();
    const next = pinned.includes(lane) ? pinned.filter((id) => id !== lane) : [...pinned, lane];
    this.wishes.value = { ...this.wishes.peek(), pinned: next };
  }
  moveLane(lane: string, by: 1 | -1): void {
    this.wishes.value = movedLane(this.timeline, this.wishes.peek(), lane, by);
  }

  /** The lanes of the area, or all that are shown, by their place in the timeline. */
  lanesOf(area: Area | undefined): readonly number[] {
    const { shown } = this.order.value;
    if (area?.lanes === undefined) return shown;
    const wanted = new Set(area.lanes);
    return shown.filter((at) => wanted.has(this.timeline.lanes[at]?.id ?? ''));
  }

  /** To the next hit of the search, or the one before it. */
  jump(by: 1 | -1): void {
    const view = this.view.peek();
    const event = nextHit(this.hits.peek(), this.timeline, { event: this.selected.peek(), time: view.start }, by);
    if (event !== NONE) this.show(event);
  }
}

function countsBefore(hits: Int32Array, events: number): Int32Array | undefined {
  if (hits.length === 0) return undefined;
  const before = new Int32Array(events + 1);
  for (const event of hits) before[event + 1] = 1;
  for (let e = 0; e < events; e++) before[e + 1] = (before[e + 1] ?? 0) + (before[e] ?? 0);
  return before;
}

/** Kinds that occur, and names of kernels, by their number. O(events). */
function usedNames({ names, name, kind }: Timeline): { kinds: readonly EventKind[]; kernels: Uint8Array } {
  const [kernel, collective] = [EVENT_KINDS.indexOf('kernel'), EVENT_KINDS.indexOf('collective')];
  const isThere = new Uint8Array(EVENT_KINDS.length);
  const kernels = new Uint8Array(names.length);
  for (let e = 0; e < kind.length; e++) {
    const code = kind[e] ?? 0;
    isThere[code] = 1;
    if (code === kernel || code === collective) kernels[name[e] ?? 0] = 1;
  }
  return { kinds: EVENT_KINDS.filter((_, code) => isThere[code] === 1), kernels };
}

/** Kernels by their short names; what could steer the eye (control characters, turned direction) as escapes. */
function shownNames({ names }: Timeline, isKernel: Uint8Array): string[] {
  const short = shortKernelNames(new Set(names.filter((_, at) => isKernel[at] === 1)));
  return names.map((text) => escapeText(short.get(text) ?? text));
}
