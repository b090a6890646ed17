/** The rows of a part of a file, taken apart so that another thread can have them, and how they become rows of the whole. */
import type { RawColumns } from './builder-columns.ts';
import { SIDE_TABLES } from './builder-side.ts';
import type { Diagnostic } from './diagnostics.ts';
import { NO_STRING, type CategoryId, type StringId, type TrackId } from './ids.ts';
import { FIRST_TEXT_FIELD, RawRow } from './raw-row.ts';
import type { RowBatch } from './row-batch.ts';

/** Nothing but numbers, texts and typed arrays: it can be posted to another thread. Ids are the part's own. */
export interface BuilderPart {
  readonly texts: readonly string[];
  /** By their ids. */
  readonly categories: readonly StringId[];
  readonly tracks: readonly { readonly pid: StringId; readonly tid: StringId }[];
  readonly batch: RowBatch;
  /** `M` and `E` rows, which have no row in the batch. */
  readonly rare: readonly RareRow[];
  readonly diagnostics: readonly Diagnostic[];
}

export type RareRow = Pick<
  RawRow,
  | 'position'
  | 'byteOffset'
  | 'phase'
  | 'name'
  | 'pid'
  | 'tid'
  | 'hasStart'
  | 'startSeconds'
  | 'startNanos'
  | 'present'
  | 'values'
>;

/** The buffers of a part, which are handed over and not copied. */
export const buffersOf = ({ batch }: BuilderPart): ArrayBuffer[] => [
  ...new Set(
    [...Object.values(batch), ...batch.sides]
      .filter((each): each is Uint8Array<ArrayBuffer> => ArrayBuffer.isView(each))
      .map(({ buffer }) => buffer),
  ),
];

export function batchOf(
  rows: RawColumns,
  sides: readonly Float64Array[],
  letters: Uint32Array,
  skipped: number,
): RowBatch {
  const { length, name, category, phase, track, start, startNanos, dur, correlation, position, byteOffset } = rows;
  const { suspects, lowest, highest, firstSeconds, firstNanos } = rows;
  const survey = { suspects, lowest, highest, firstSeconds, firstNanos };
  const columns = { name, category, phase, track, start, startNanos, dur, correlation, position, byteOffset };
  return { length, ...columns, sides, letters, skipped, survey };
}

/** What the ids of a part are in the whole. */
export interface Renumbering {
  readonly texts: readonly StringId[];
  readonly categories: readonly CategoryId[];
  readonly tracks: readonly TrackId[];
  /** Rows of the file, and rows with columns, before the part. */
  readonly position: number;
  readonly firstEvent: number;
}

export const renumberText = (to: Renumbering, id: number): StringId =>
  id === NO_STRING ? NO_STRING : (to.texts[id] as StringId);

/** Gives all rows of a batch the ids of the whole, in place. */
export function renumber(batch: RowBatch, to: Renumbering): void {
  const { length, name, category, track, position, sides } = batch;
  // One column after the other, by typed arrays: each loop reads and writes one place.
  renumberInts(name, length, new Int32Array(to.texts));
  renumberInts(track, length, new Int32Array(to.tracks));
  const categories = new Uint16Array(to.categories);
  for (let row = 0; row < length; row++) category[row] = categories[category[row]];
  for (let row = 0; row < length; row++) position[row] += to.position;
  sides.forEach((cells, table) => {
    const columns = SIDE_TABLES[table];
    const width = columns.length + 1;
    for (let cell = 0; cell < cells.length; cell += width) cells[cell] += to.firstEvent;
    columns.forEach(({ field }, column) => {
      if (field < FIRST_TEXT_FIELD) return;
      for (let cell = column + 1; cell < cells.length; cell += width) cells[cell] = renumberText(to, cells[cell]);
    });
  });
}

function renumberInts(ids: Int32Array, length: number, to: Int32Array): void {
  for (let row = 0; row < length; row++) ids[row] = to[ids[row]];
}

export function renumberRare(rare: RareRow, to: Renumbering): RawRow {
  const row = new RawRow();
  const { values, ...rest } = rare;
  Object.assign(row, rest);
  row.values.set(values);
  row.position += to.position;
  row.name = renumberText(to, rare.name);
  row.pid = renumberText(to, rare.pid);
  row.tid = renumberText(to, rare.tid);
  for (let field: number = FIRST_TEXT_FIELD; field < row.values.length; field++) {
    if ((row.present & (1 << field)) !== 0) row.values[field] = renumberText(to, row.values[field]);
  }
  return row;
}
