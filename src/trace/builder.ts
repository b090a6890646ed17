import { RawColumns } from './builder-columns.ts';
import { sortRows } from './builder-order.ts';
import { EndRows } from './builder-pairs.ts';
import { SideTablesBuilder } from './builder-side.ts';
import { settleTiming } from './builder-timing.ts';
import { TrackBuilder } from './builder-tracks.ts';
import { Diagnostics } from './diagnostics.ts';
import { NO_STRING, type CategoryId, type StringId, type TrackId } from './ids.ts';
import { kindOfCategory, RowKind } from './kinds.ts';
import { Field, type RawRow } from './raw-row.ts';
import { StringBuilder } from './strings.ts';
import { Phase } from './tables.ts';
import type { Category, DeviceProperties, Trace } from './trace.ts';

/** What a trace knows beside its rows. */
export interface TraceFacts {
  readonly file: string;
  readonly jsonBytes: number;
  /** Every row met in the file, those included that were never pushed. */
  readonly eventCount: number;
  readonly rank?: number;
  readonly worldSize?: number;
  readonly backend?: string;
  readonly devices?: readonly DeviceProperties[];
  /** What the file's times are relative to; 0 where they are absolute. */
  readonly baseUnixNs?: bigint;
}

const letter = (text: string): number => text.charCodeAt(0);
const META = letter('M');
const END = letter('E');
const phaseOfLetter = new Map<number, Phase>([
  [letter('X'), Phase.complete],
  [letter('B'), Phase.begin],
  [letter('i'), Phase.instant],
  [letter('I'), Phase.instant],
  [letter('C'), Phase.counter],
  [letter('s'), Phase.flowStart],
  [letter('t'), Phase.flowStep],
  [letter('f'), Phase.flowEnd],
  [letter('b'), Phase.asyncStart],
  [letter('n'), Phase.asyncStep],
  [letter('e'), Phase.asyncEnd],
]);

/** Makes a `Trace` of rows in any order. Used once: `push` each row, then `seal`. */
export class TraceBuilder {
  readonly strings = new StringBuilder();
  readonly diagnostics = new Diagnostics();
  readonly #rows = new RawColumns();
  readonly #sides = new SideTablesBuilder();
  readonly #ends = new EndRows();
  readonly #tracks = new TrackBuilder(this.strings);
  readonly #categories: Category[] = [];
  readonly #categoryOfText = new Map<StringId, CategoryId>();
  readonly #phaseCount = new Uint32Array(256);

  /** Takes a row; the object is not kept. */
  push(row: RawRow): void {
    if (row.phase === 0) {
      this.diagnostics.record('missing-field', row.byteOffset);
      return;
    }
    this.#phaseCount[row.phase]++;
    row.pid = this.#orEmpty(row.pid);
    row.tid = this.#orEmpty(row.tid);
    if (row.phase === META) {
      this.#tracks.name(row);
      return;
    }
    const track = this.#tracks.id(row.pid, row.tid);
    if (row.phase === END) {
      if (row.hasStart) this.#ends.push(track, row);
      else this.diagnostics.record('missing-field', row.byteOffset);
      return;
    }
    this.#pushRow(row, track, phaseOfLetter.get(row.phase) ?? Phase.other);
  }

  #pushRow(row: RawRow, track: TrackId, phase: Phase): void {
    const rows = this.#rows;
    const category = this.#category(this.#orEmpty(row.category));
    this.#sides.push(rows.length, this.#kindOf(category), row);
    rows.name.push(this.#orEmpty(row.name));
    rows.category.push(category);
    rows.phase.push(phase);
    rows.flags.push(0);
    rows.track.push(track);
    rows.start.push(row.hasStart ? row.startSeconds : Number.NaN);
    rows.startNanos.push(row.startNanos);
    rows.dur.push(phase === Phase.complete ? row.dur : Number.NaN);
    rows.correlation.push(
      phase >= Phase.flowStart && phase <= Phase.asyncEnd ? orAbsent(row.id) : row.number(Field.correlation, -1),
    );
    rows.position.push(row.position);
    rows.byteOffset.push(row.byteOffset);
  }

  #orEmpty(id: StringId): StringId {
    return id === NO_STRING ? this.strings.intern('') : id;
  }

  #category(text: StringId): CategoryId {
    const known = this.#categoryOfText.get(text);
    if (known !== undefined) return known;
    const id = this.#categories.length as CategoryId;
    const name = this.strings.text(text);
    this.#categories.push({ name, kind: kindOfCategory(name) });
    this.#categoryOfText.set(text, id);
    return id;
  }

  readonly #kindOf = (category: number): RowKind => this.#categories[category].kind;

  /** The finished trace. Nothing may be pushed afterwards. */
  seal(facts: TraceFacts): Trace {
    const rows = this.#rows;
    const { baseUnixNs = 0n, devices = [], ...rest } = facts;
    this.#ends.pair(rows, this.#sides, this.#kindOf, this.diagnostics);
    const origin = settleTiming(rows, this.#kindOf, baseUnixNs, this.diagnostics);
    const length = rows.length;
    const start = rows.start.take();
    const dur = rows.dur.take();
    const order = sortRows(start, dur, length);
    const { ops, calls, python, device, sync, records, collectives } = this.#sides.seal(order);
    return {
      ...rest,
      originUnixNs: baseUnixNs + BigInt(origin.seconds) * 1_000_000_000n + BigInt(origin.nanos),
      devices,
      byPhase: this.#byPhase(),
      strings: this.strings,
      categories: this.#categories,
      tracks: this.#tracks.seal(),
      events: {
        length,
        name: rows.name.take(order),
        category: rows.category.take(order),
        phase: rows.phase.take(order),
        flags: rows.flags.take(order),
        track: rows.track.take(order),
        start: rows.start.take(order),
        dur: rows.dur.take(order),
        correlation: rows.correlation.take(order),
        position: rows.position.take(order),
        byteOffset: rows.byteOffset.take(order),
      },
      ops,
      calls,
      python,
      device,
      sync,
      records,
      collectives,
      diagnostics: this.diagnostics.list(),
    };
  }

  #byPhase(): Record<string, number> {
    const counts: Record<string, number> = {};
    this.#phaseCount.forEach((count, byte) => {
      if (count > 0) counts[String.fromCharCode(byte)] = count;
    });
    return counts;
  }
}

const orAbsent = (id: number): number => (Number.isNaN(id) ? -1 : id);
