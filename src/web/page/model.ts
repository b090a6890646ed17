import { type ReadonlySignal, type Signal, batch, computed, signal } from '@preact/signals';
import { escapeText } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import { EVENT_KINDS, type EventKind, type Timeline, type TimelineLane } from '../../protocol/timeline.ts';
import { type CounterPeaks, buildCounterPeaks } from '../timeline/counter-columns.ts';
import { eventsByPosition, laneOf, markPath, rowOf } from '../timeline/events.ts';
import { type LaneLayout, ROW_HEIGHT, isFoldedAtFirst, placeLanes } from '../timeline/lanes.ts';
import { type PathRows, buildPathRows } from '../timeline/path-line.ts';
import { type PageState, stateOfText, textOfState } from '../timeline/page-state.ts';
import { type Pyramid, buildPyramid } from '../timeline/pyramid.ts';
import { nextHit, parseQuery } from '../timeline/search.ts';
import { type Bounds, type View, fitted, spanOf, wholeOf, within } from '../timeline/view.ts';

export const NONE = -1;

/** An arrow to the selection: from a moment that it had to wait for. */
export interface Arrow {
  readonly fromEvent: number;
  readonly fromNs: number;
  readonly toNs: number;
  readonly isBound: boolean;
}

/** All that the page knows, and all that it may change. Events are rows of the timeline's columns, `NONE` where there is none. */
export class Model {
  readonly timeline: Timeline;
  readonly pyramid: Pyramid;
  readonly peaks: CounterPeaks;
  /** By position in the file. */
  readonly eventOf: Int32Array;
  readonly bounds: Bounds;
  readonly pathRows: PathRows;
  /** By name: as it is shown. */
  readonly shown: readonly string[];

  readonly view: Signal<View>;
  readonly selected = signal(NONE);
  readonly isDimmed = signal(false);
  readonly query = signal('');
  readonly toggled = signal<ReadonlySet<string>>(new Set());
  readonly hasTable = signal(false);
  readonly hasHelp = signal(false);
  /** How far the lanes are scrolled, and what of them is seen, in pixels. */
  readonly top = signal(0);
  readonly size = signal({ width: 0, height: 0 });
  /** Under the pointer. */
  readonly cursor = signal<{ readonly time: number; readonly x: number; readonly y: number } | undefined>(undefined);
  readonly arrows = signal<readonly Arrow[]>([]);
  /** What a screen reader is told. */
  readonly said = signal('');

  readonly layout: ReadonlySignal<LaneLayout>;
  readonly hits: ReadonlySignal<Int32Array>;
  /** By event: hits before it, in the order of the columns; where there are any. */
  readonly hitsBefore: ReadonlySignal<Int32Array | undefined>;
  readonly queryProblem: ReadonlySignal<string | undefined>;
  readonly hash: ReadonlySignal<string>;

  constructor(timeline: Timeline) {
    this.timeline = timeline;
    this.eventOf = eventsByPosition(timeline);
    this.pyramid = buildPyramid(timeline, markPath(timeline, this.eventOf));
    this.peaks = buildCounterPeaks(timeline);
    this.pathRows = buildPathRows(timeline, (segment) => {
      const event = this.eventAt(timeline.pathPosition[segment] ?? NONE);
      return event === NONE ? NONE : rowOf(timeline, event);
    });
    this.bounds = { start: timeline.startNs, end: timeline.endNs };
    this.shown = shownNames(timeline);
    this.view = signal(this.firstView());
    this.layout = computed(() => {
      const toggled = this.toggled.value;
      return placeLanes(timeline, (lane) => isFoldedAtFirst(lane) !== toggled.has(lane.id));
    });
    const parsed = computed(() => parseQuery(this.query.value));
    this.hits = computed(() => (parsed.value.ok ? parsed.value.matches(timeline) : new Int32Array(0)));
    this.hitsBefore = computed(() => countsBefore(this.hits.value, timeline.start.length));
    this.queryProblem = computed(() => (parsed.value.ok ? undefined : parsed.value.why));
    this.hash = computed(() => textOfState(this.state()));
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
    return {
      view: this.view.value,
      ...(selected === NONE ? {} : { event: this.positionOf(selected) }),
      isDimmed: this.isDimmed.value,
      query: this.query.value,
      toggled: [...this.toggled.value],
      hasTable: this.hasTable.value,
      top: this.top.value,
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
      this.hasTable.value = state.hasTable;
      this.top.value = state.top;
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
  /** The top of the event's row, in pixels from the first lane's. */
  topOf(event: number): number {
    return this.layout.value.rowTop[rowOf(this.timeline, event)] ?? 0;
  }

  select(event: number): void {
    if (event === this.selected.peek()) return;
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
    if (top < from || top + ROW_HEIGHT > from + seen) this.top.value = Math.max(0, Math.round(top - seen / 2));
  }

  fit(event: number): void {
    if (event !== NONE) {
      this.view.value = fitted({ start: this.startOf(event), end: this.endOf(event) }, this.bounds, 0.3);
    }
  }

  toggle(lane: string): void {
    const next = new Set(this.toggled.peek());
    if (!next.delete(lane)) next.add(lane);
    this.toggled.value = next;
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

/** Kernels by their short names; what could steer the eye (control characters, turned direction) as escapes. */
function shownNames({ names, name, kind }: Timeline): string[] {
  const kernels = new Set<string>();
  const [kernel, collective] = [EVENT_KINDS.indexOf('kernel'), EVENT_KINDS.indexOf('collective')];
  kind.forEach((each, e) => {
    if (each === kernel || each === collective) kernels.add(names[name[e] ?? 0] ?? '');
  });
  const short = shortKernelNames(kernels);
  return names.map((text) => escapeText(short.get(text) ?? text));
}
