/** What the timeline is drawn from, as columns: made once, sent once, and read where they lie. */
import type { ConstraintKind } from '../graph/constraints.ts';

/** What an event is, for its colour. */
export const EVENT_KINDS = [
  'kernel',
  'collective',
  'copy',
  'device-other',
  'op',
  'call',
  'annotation',
  'python',
  'sync',
  'other',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What a lane is a lane of. */
export type EventLaneKind = 'annotation' | 'stream' | 'host' | 'python' | 'device-annotation' | 'sync' | 'other';
/** `counter`: of a function of time alone. */
export type LaneKind = EventLaneKind | 'counter';

/** A thread or a stream: rows of events that do not overlap, what holds others above what it holds. */
export interface TimelineLane {
  /** `s-0.7`, `t-4000.100`; of what only labels it, with a prefix. */
  readonly id: string;
  readonly kind: LaneKind;
  readonly title: string;
  /** Its rows are `firstRow` to `firstRow + rows`. */
  readonly firstRow: number;
  readonly rows: number;
  /** Drawn below it: row in `counters`. */
  readonly counter?: number;
}

/** A step function of time. */
export interface TimelineCounter {
  readonly id: string;
  readonly title: string;
  /** What one unit of it is, in the plural. */
  readonly unit: string;
  readonly max: number;
}

export interface TimelineWindow {
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
}

export interface TimelineHead {
  readonly schema: 'longpole.timeline/1';
  readonly file: string;
  readonly rank?: number;
  /** From the first event to the last one's end. */
  readonly startNs: number;
  readonly endNs: number;
  /** Rows of the file that are not drawn: those without a length, and those whose time cannot be true. */
  readonly leftOut: { readonly withoutLength: number; readonly withoutTime: number };
  readonly lanes: readonly TimelineLane[];
  readonly counters: readonly TimelineCounter[];
  /** The windows whose path is shown; none where there is no path. */
  readonly windows: readonly TimelineWindow[];
  /** Why there is no path. */
  readonly noPath?: string;
  readonly segmentKinds: readonly string[];
  readonly boundBy: readonly (ConstraintKind | 'window-start')[];
  readonly names: readonly string[];
}

/** Columns by their name and their type, in the order in which they are sent. */
const COLUMNS = {
  /** By event, ascending in each row: the row's events are `rowFirst[r]` to `rowFirst[r + 1]`. Times in ns. */
  start: Float64Array,
  end: Float64Array,
  pathStart: Float64Array,
  pathEnd: Float64Array,
  /** Of all counters, one behind the other: those of `c` are `counterFirst[c]` to `counterFirst[c + 1]`. */
  counterTime: Float64Array,
  counterValue: Float64Array,
  /** What an item covers of its span, in ns. Empty where every item is one event. */
  covered: Float64Array,
  rowFirst: Int32Array,
  name: Int32Array,
  /** In the file's `traceEvents`; −1 of an item that stands for several events. */
  position: Int32Array,
  /** Events that an item stands for. Empty where every item is one event. */
  count: Int32Array,
  /** Of path segments: the event's position, or −1. */
  pathPosition: Int32Array,
  /** Of path segments: how many one stands for, with all their time of its kind. Empty where each is itself. */
  pathCount: Int32Array,
  counterFirst: Int32Array,
  kind: Uint8Array,
  pathKind: Uint8Array,
  pathBoundBy: Uint8Array,
} as const;
type Columns = { readonly [Name in keyof typeof COLUMNS]: InstanceType<(typeof COLUMNS)[Name]> };
type ColumnName = keyof Columns;
const NAMES = Object.keys(COLUMNS) as ColumnName[];

export interface Timeline extends TimelineHead, Columns {}

/** Events that an item stands for. */
export const countOf = ({ count }: Timeline, e: number): number => (count.length === 0 ? 1 : count[e]);
/** How long at least one event of an item ran, in ns: those of a row do not overlap. */
export const coveredOf = ({ covered, start, end }: Timeline, e: number): number =>
  covered.length === 0 ? end[e] - start[e] : covered[e];

const MAGIC = 'longpole timeline 1\n';
const ALIGN = 8;
const padded = (bytes: number): number => Math.ceil(bytes / ALIGN) * ALIGN;

/** One block of bytes: a magic word, the length of the head, the head as JSON, then the columns, each at a multiple of 8. */
export function encodeTimeline(timeline: Timeline): Uint8Array<ArrayBuffer> {
  const head: Record<string, unknown> = { ...timeline };
  for (const name of NAMES) head[name] = timeline[name].length;
  const json = new TextEncoder().encode(JSON.stringify(head));
  const headStart = padded(MAGIC.length + 4);
  const sizes = NAMES.map((name) => padded(timeline[name].byteLength));
  const whole = new Uint8Array(sizes.reduce((sum, size) => sum + size, headStart + padded(json.length)));
  whole.set(new TextEncoder().encode(MAGIC));
  new DataView(whole.buffer).setUint32(MAGIC.length, json.length, true);
  whole.set(json, headStart);
  let at = headStart + padded(json.length);
  NAMES.forEach((name, i) => {
    const { buffer, byteOffset, byteLength } = timeline[name];
    whole.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += sizes[i];
  });
  return whole;
}

/** The columns are views of `buffer`. Throws where it is something else. */
export function decodeTimeline(buffer: ArrayBuffer): Timeline {
  const headStart = padded(MAGIC.length + 4);
  const bytes = new Uint8Array(buffer);
  const magic = new TextDecoder().decode(bytes.subarray(0, MAGIC.length));
  if (magic !== MAGIC) throw new Error('this is no timeline of this version of longpole');
  const length = new DataView(buffer).getUint32(MAGIC.length, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(headStart, headStart + length))) as TimelineHead &
    Record<ColumnName, number>;
  let at = headStart + padded(length);
  const columns: Partial<Record<ColumnName, Columns[ColumnName]>> = {};
  for (const name of NAMES) {
    const Column = COLUMNS[name];
    columns[name] = new Column(buffer, at, head[name]);
    at += padded(columns[name].byteLength);
  }
  return { ...head, ...(columns as Columns) };
}
