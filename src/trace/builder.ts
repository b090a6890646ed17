import { RawColumns, sortCategories, sortColumns } from './builder-columns.ts';
import { sortRows } from './builder-order.ts';
import { copyRow, EndRows } from './builder-pairs.ts';
import { batchOf, renumber, renumberRare, type BuilderPart, type Renumbering } from './builder-part.ts';
import { SideTablesBuilder } from './builder-side.ts';
import { stepsAreAnnotations } from './builder-steps.ts';
import { settleTiming } from './builder-timing.ts';
import { TrackBuilder } from './builder-tracks.ts';
import { Diagnostics } from './diagnostics.ts';
import { NO_STRING, type CategoryId, type StringId, type TrackId } from './ids.ts';
import { kindOfCategory, type RowKind } from './kinds.ts';
import { Field, type RawRow } from './raw-row.ts';
import type { RowBatch } from './row-batch.ts';
import { StringBuilder } from './strings.ts';
import { Phase } from './tables.ts';
import type { Category, DeclaredGroup, DeviceProperties, RankSource, Trace } from './trace.ts';

/** What a trace knows beside its rows. */
export interface TraceFacts {
  readonly file: string;
  readonly jsonBytes: number;
  /** Every row met in the file, those included that were never pushed. */
  readonly eventCount: number;
  readonly rank?: number;
  readonly rankFrom?: RankSource;
  readonly worldSize?: number;
  readonly backend?: string;
  readonly groups?: readonly DeclaredGroup[];
  readonly devices?: readonly DeviceProperties[];
  /** What the file's times are relative to; 0 where they are absolute. */
  readonly baseUnixNs?: bigint;
}

const letter = (text: string): number => text.charCodeAt(0);
/** Rows of these letters have no row in the table: they name tracks, and end `B` rows. */
export const META_LETTER = letter('M');
export const END_LETTER = letter('E');
/** The phase of each letter of `ph`. */
export const PHASE_OF_LETTER = new Uint8Array(256).fill(Phase.other);
for (const [byte, phase] of [
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
] as const) {
  PHASE_OF_LETTER[byte] = phase;
}

/** Rows that are believed before they are seen: a file of 20 GB. */
const MOST_RESERVED = 1 << 26;

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
  /** Rows of one category mostly come together. */
  #lastCategoryText: StringId = NO_STRING;
  #lastCategory = 0 as CategoryId;
  readonly #phaseCount = new Uint32Array(256);
  readonly #skip: ReadonlySet<string>;
  #skippedRows = 0;

  /** Of a part: `M` and `E` rows, which only the whole can use. */
  readonly #rare: RawRow[] | undefined;

  /**
   * `skip`: categories whose rows are counted and left out. `B` rows stay, since an `E` row ends each. `isPart`: of a part of a file, which is
   * not sealed but given to the builder of the whole.
   */
  constructor(skip: Iterable<string> = [], isPart = false) {
    this.#skip = new Set(skip);
    this.#rare = isPart ? [] : undefined;
  }

  /** Takes a row; the object is not kept. */
  push(row: RawRow): void {
    if (row.phase === 0) {
      this.diagnostics.record('missing-field', row.byteOffset);
      return;
    }
    this.#phaseCount[row.phase]++;
    row.pid = this.#orEmpty(row.pid);
    row.tid = this.#orEmpty(row.tid);
    if (row.phase === META_LETTER) {
      this.#pushRare(row);
      return;
    }
    const track = this.#tracks.id(row.pid, row.tid);
    if (row.phase === END_LETTER) {
      if (row.hasStart) this.#pushRare(row);
      else this.diagnostics.record('missing-field', row.byteOffset);
      return;
    }
    this.#pushRow(row, track, PHASE_OF_LETTER[row.phase] as Phase);
  }

  /** The row that is pushed next. */
  get rowCount(): number {
    return this.#rows.length;
  }

  /** Makes room for `factor` times the rows that are there, which are expected. */
  reserve(factor: number): void {
    this.#rows.reserve(Math.min(Math.ceil(this.#rows.length * factor), MOST_RESERVED));
    this.#sides.reserve(Math.min(factor, MOST_RESERVED / Math.max(1, this.#rows.length)));
  }

  /** Takes many rows; the arrays are not kept. Their categories and tracks are `categoryOf`'s and `trackOf`'s. */
  append(batch: RowBatch): void {
    this.#rows.append(batch);
    this.#sides.append(batch.sides);
    for (let letter = 0; letter < 256; letter++) this.#phaseCount[letter] += batch.letters[letter];
    this.#skippedRows += batch.skipped;
  }

  /** The number of a (pid, tid) pair, in the order in which they are met. */
  trackOf(pid: StringId, tid: StringId): TrackId {
    return this.#tracks.id(pid, tid);
  }

  /** The number of a category, in the order in which they are met; its kind; and whether its rows are left out. */
  categoryOf(text: StringId): { readonly id: CategoryId; readonly kind: RowKind; readonly isSkipped: boolean } {
    const id = this.#category(text);
    const { name, kind } = this.#categories[id];
    return { id, kind, isSkipped: this.#skip.has(name) };
  }

  #pushRare(row: RawRow): void {
    if (this.#rare !== undefined) this.#rare.push(copyRow(row));
    else if (row.phase === META_LETTER) this.#tracks.name(row);
    else this.#ends.push(this.#tracks.id(row.pid, row.tid), row);
  }

  /** What a part of a file came to. The builder must not be used afterwards. */
  takePart(): BuilderPart {
    return {
      texts: Array.from({ length: this.strings.length }, (_, id) => this.strings.text(id as StringId)),
      categories: [...this.#categoryOfText.keys()],
      tracks: this.#tracks.pairs,
      batch: batchOf(this.#rows, this.#sides.take(), this.#phaseCount, this.#skippedRows),
      rare: this.#rare ?? [],
      diagnostics: this.diagnostics.list(),
    };
  }

  /** Takes the rows of the part of the file that comes next; `position`: rows of the file before it. The part is used up. */
  addPart(part: BuilderPart, position: number): void {
    const texts = part.texts.map((text) => this.strings.intern(text));
    const to: Renumbering = {
      texts,
      categories: part.categories.map((text) => this.#category(texts[text])),
      tracks: part.tracks.map(({ pid, tid }) => this.#tracks.id(texts[pid], texts[tid])),
      position,
      firstEvent: this.rowCount,
    };
    renumber(part.batch, to);
    this.append(part.batch);
    for (const rare of part.rare) this.#pushRare(renumberRare(rare, to));
    this.diagnostics.merge(part.diagnostics);
  }

  #pushRow(row: RawRow, track: TrackId, phase: Phase): void {
    const rows = this.#rows;
    const category = this.#category(this.#orEmpty(row.category));
    if (this.#skip.size > 0 && phase !== Phase.begin && this.#skip.has(this.#categories[category].name)) {
      this.#skippedRows++;
      return;
    }
    const event = rows.add();
    this.#sides.push(event, this.#kindOf(category), row);
    rows.name[event] = this.#orEmpty(row.name);
    rows.category[event] = category;
    rows.phase[event] = phase;
    rows.track[event] = track;
    rows.start[event] = row.hasStart ? row.startSeconds : Number.NaN;
    rows.startNanos[event] = row.startNanos;
    // The end is rounded once: what rounding start and length cut off may add up to one more.
    rows.dur[event] =
      phase === Phase.complete ? row.dur + Math.round((row.startRest + row.durRest) / 1000) : Number.NaN;
    const isLink = phase >= Phase.flowStart && phase <= Phase.asyncEnd;
    rows.correlation[event] = isLink ? orAbsent(row.id) : row.value(Field.correlation, -1);
    rows.position[event] = row.position;
    rows.byteOffset[event] = row.byteOffset;
    rows.surveyRow(event);
  }

  #orEmpty(id: StringId): StringId {
    return id === NO_STRING ? this.strings.intern('') : id;
  }

  #category(text: StringId): CategoryId {
    if (text === this.#lastCategoryText) return this.#lastCategory;
    let id = this.#categoryOfText.get(text);
    if (id === undefined) {
      id = this.#categories.length as CategoryId;
      const name = this.strings.text(text);
      this.#categories.push({ name, kind: kindOfCategory(name) });
      this.#categoryOfText.set(text, id);
    }
    this.#lastCategoryText = text;
    this.#lastCategory = id;
    return id;
  }

  readonly #kindOf = (category: number): RowKind => this.#categories[category].kind;

  /** The finished trace. Nothing may be pushed afterwards. */
  seal(facts: TraceFacts): Trace {
    const rows = this.#rows;
    const { baseUnixNs = 0n, devices = [], ...rest } = facts;
    this.#ends.pair(rows, this.#sides, this.#kindOf, this.diagnostics);
    stepsAreAnnotations(rows, this.#categories, this.strings);
    const { origin, span } = settleTiming(rows, this.#kindOf, baseUnixNs, this.diagnostics);
    const { length } = rows;
    const order = sortRows(rows.start, rows.dur, length, span);
    const category = sortCategories(rows, order);
    const { ops, calls, python, device, sync, records, collectives } = this.#sides.seal(
      order,
      rows.category,
      category,
      this.#kindOf,
      this.#categories.length,
    );
    return {
      ...rest,
      originUnixNs: baseUnixNs + BigInt(origin.seconds) * 1_000_000_000n + BigInt(origin.nanos),
      devices,
      byPhase: this.#byPhase(),
      skippedRows: this.#skippedRows,
      strings: this.strings,
      categories: this.#categories,
      tracks: this.#tracks.seal(),
      events: { length, ...sortColumns(rows, order), category },
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
