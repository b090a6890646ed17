import { asColumn } from './builder-columns.ts';
import type { Col } from './columns.ts';
import { NO_STRING, type EventId, type StringId } from './ids.ts';
import { isCall, isDeviceWork, RowKind } from './kinds.ts';
import { COLLECTIVE_FIELDS, Field, FIRST_TEXT_FIELD, type RawRow } from './raw-row.ts';
import type {
  CallTable,
  CollectiveTable,
  DeviceTable,
  OpTable,
  PythonTable,
  RecordTable,
  SyncTable,
} from './tables.ts';

/** Early writers' unsigned −1 in the stream of a sync row. */
const UNKNOWN_STREAM = 4_294_967_295;

interface Column {
  readonly field: Field;
  readonly absent: number;
}

const number = (field: Field, absent = -1): Column => ({ field, absent });
const text = (field: Field): Column => ({ field, absent: NO_STRING });

/** A side table that grows. Row by row in one array (the event, then its fields): a row is written together. */
class SideBuilder {
  length = 0;
  readonly #fields: Int32Array;
  readonly #absent: Float64Array;
  readonly #width: number;
  #cells: Float64Array<ArrayBuffer>;

  constructor(columns: readonly Column[]) {
    this.#fields = Int32Array.from(columns, ({ field }) => field);
    this.#absent = Float64Array.from(columns, ({ absent }) => absent);
    this.#width = columns.length + 1;
    this.#cells = new Float64Array(64 * this.#width);
  }

  push(event: number, row: RawRow): void {
    let cell = this.length * this.#width;
    if (cell + this.#width > this.#cells.length) this.#grow(this.#cells.length * 2);
    const cells = this.#cells;
    const fields = this.#fields;
    const { present, values } = row;
    this.length++;
    cells[cell++] = event;
    for (let column = 0; column < fields.length; column++) {
      const field = fields[column];
      cells[cell++] = (present & (1 << field)) === 0 ? this.#absent[column] : values[field];
    }
  }

  /** Room for `factor` times the rows that are there. */
  reserve(factor: number): void {
    const cells = Math.ceil(this.length * factor) * this.#width;
    if (cells > this.#cells.length) this.#grow(cells);
  }

  #grow(cells: number): void {
    const larger = new Float64Array(cells);
    larger.set(this.#cells);
    this.#cells = larger;
  }

  /** Takes whole rows, laid out as here. */
  append(rows: Float64Array): void {
    const used = this.length * this.#width;
    if (used + rows.length > this.#cells.length) this.#grow(Math.max(this.#cells.length * 2, used + rows.length));
    this.#cells.set(rows, used);
    this.length += rows.length / this.#width;
  }

  /** The rows as they lie. The builder must not be used afterwards. */
  take(): Float64Array<ArrayBuffer> {
    return this.#cells.subarray(0, this.length * this.#width);
  }

  /** Fills what the row of `event` lacks with the fields of another row. */
  fill(event: number, other: RawRow): void {
    const index = this.#indexOf(event);
    if (index === undefined) return;
    this.#fields.forEach((field, column) => {
      const cell = index * this.#width + 1 + column;
      if ((other.present & (1 << field)) === 0 || !Object.is(this.#cells[cell], this.#absent[column])) return;
      this.#cells[cell] = other.values[field];
    });
  }

  /** Rows are pushed in ascending order of their event. */
  #indexOf(event: number): number | undefined {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#cells[middle * this.#width] < event) low = middle + 1;
      else high = middle;
    }
    return low < this.length && this.#cells[low * this.#width] === event ? low : undefined;
  }

  /** The columns of the rows `indices`, of which the first is the row of event `event[0]`: `event`, then the others as they were declared. */
  seal({ event, indices }: SideOrder): { readonly event: Col<EventId>; readonly columns: readonly Col[] } {
    const columns = Array.from(this.#fields, (field) =>
      field >= FIRST_TEXT_FIELD ? new Int32Array(indices.length) : new Float64Array(indices.length),
    );
    // In blocks: all fields of a block's rows are read while their cells are near.
    for (let from = 0; from < indices.length; from += BLOCK) {
      const to = Math.min(from + BLOCK, indices.length);
      columns.forEach((values, column) => {
        if (values instanceof Float64Array) this.#fillDoubles(values, column + 1, indices, from, to);
        else this.#fillInts(values, column + 1, indices, from, to);
      });
    }
    this.#cells = new Float64Array(0);
    return {
      event: asColumn<EventId>(event, event.length),
      columns: columns.map((values) => asColumn(values, values.length)),
    };
  }

  /** The rows by the new rows of their events, which `newRow` has (`undefined`: all stay as they are). */
  sortedBy(newRow: Int32Array | undefined): SideOrder {
    const event = new Int32Array(this.length);
    const indices = new Int32Array(this.length);
    for (let index = 0; index < this.length; index++) {
      indices[index] = index;
      const old = this.#cells[index * this.#width];
      event[index] = newRow === undefined ? old : newRow[old];
    }
    if (newRow === undefined) return { event, indices };
    indices.sort((a, b) => event[a] - event[b]);
    return { event: event.sort(), indices };
  }

  #fillDoubles(values: Float64Array, cell: number, indices: Int32Array, from: number, to: number): void {
    const cells = this.#cells;
    const width = this.#width;
    for (let row = from; row < to; row++) values[row] = cells[indices[row] * width + cell];
  }

  #fillInts(values: Int32Array, cell: number, indices: Int32Array, from: number, to: number): void {
    const cells = this.#cells;
    const width = this.#width;
    for (let row = from; row < to; row++) values[row] = cells[indices[row] * width + cell];
  }
}

/** The order of a side table: the events of its rows, ascending, and the rows. */
interface SideOrder {
  readonly event: Int32Array<ArrayBuffer>;
  readonly indices: Int32Array<ArrayBuffer>;
}

const BLOCK = 1 << 10;

export interface SideTables {
  readonly ops: OpTable;
  readonly calls: CallTable;
  readonly python: PythonTable;
  readonly device: DeviceTable;
  readonly sync: SyncTable;
  readonly records: RecordTable;
  readonly collectives: CollectiveTable;
}

/** The side tables by their number, with their columns; 0 is none. */
export const SIDE_TABLES: readonly (readonly Column[])[] = [
  [],
  [
    number(Field.externalId),
    number(Field.sequence),
    number(Field.forwardThread),
    text(Field.inputDims),
    text(Field.inputTypes),
  ],
  [number(Field.externalId)],
  [number(Field.pythonId), number(Field.parentId)],
  [
    number(Field.device),
    number(Field.stream),
    number(Field.externalId),
    number(Field.bytes, Number.NaN),
    number(Field.bandwidth, Number.NaN),
    number(Field.graphId, 0),
    number(Field.graphNodeId, 0),
  ],
  [
    number(Field.device),
    number(Field.stream),
    number(Field.waitOnStream),
    number(Field.waitOnRecord),
    number(Field.waitOnEventId),
  ],
  [number(Field.device), number(Field.stream), number(Field.eventId)],
  [
    text(Field.collectiveName),
    text(Field.dtype),
    number(Field.inElements),
    number(Field.outElements),
    number(Field.groupSize),
    text(Field.groupName),
    text(Field.groupDescription),
    text(Field.groupRanks),
    number(Field.collectiveSequence),
    text(Field.commsId),
    number(Field.rank),
    number(Field.peerRank),
    number(Field.rankStart),
    number(Field.rankStride),
    text(Field.inSplits),
    text(Field.outSplits),
  ],
];

/** The number of the table that holds the args of rows of a kind. Rows with a collective's args are in that table too. */
export function sideTableOf(kind: RowKind): number {
  if (kind === RowKind.op || kind === RowKind.annotation) return 1;
  if (isCall(kind)) return 2;
  if (kind === RowKind.python) return 3;
  if (isDeviceWork(kind) || kind === RowKind.gpuAnnotation) return 4;
  if (kind === RowKind.sync) return 5;
  return kind === RowKind.record ? 6 : 0;
}
const COLLECTIVES = 7;

/** The args of rows, in one table a kind of row. */
export class SideTablesBuilder {
  readonly #tables = SIDE_TABLES.map((columns) => new SideBuilder(columns));

  push(event: number, kind: RowKind, row: RawRow): void {
    if (kind === RowKind.sync) this.#forgetUnknownStreams(row);
    const table = sideTableOf(kind);
    if (table > 0) this.#tables[table].push(event, row);
    if ((row.present & COLLECTIVE_FIELDS) !== 0) this.#tables[COLLECTIVES].push(event, row);
  }

  reserve(factor: number): void {
    for (const table of this.#tables) table.reserve(factor);
  }

  /** The cells of all tables, by their number. The builder must not be used afterwards. */
  take(): Float64Array<ArrayBuffer>[] {
    return this.#tables.map((table) => table.take());
  }

  /** Takes the cells of rows behind those that are there. */
  append(sides: readonly Float64Array[]): void {
    for (let table = 1; table < sides.length; table++) {
      if (sides[table].length > 0) this.#tables[table].append(sides[table]);
    }
  }

  /** Adds the args of an `E` row to those of its `B` row. */
  fill(event: number, kind: RowKind, fields: RawRow): void {
    this.#tables[sideTableOf(kind)].fill(event, fields);
    this.#tables[COLLECTIVES].fill(event, fields);
  }

  #forgetUnknownStreams(row: RawRow): void {
    if (row.values[Field.stream] === UNKNOWN_STREAM) row.values[Field.stream] = -1;
    if (row.values[Field.waitOnStream] === UNKNOWN_STREAM) row.values[Field.waitOnStream] = -1;
  }

  /**
   * The tables, each ascending by the events' new rows. `order` as for the columns of all rows; `category`: of the rows as they were pushed, and
   * `sorted` in their new order.
   * Every row of a kind has one row in its kind's table, so which rows those are is counted and not searched. O(rows of the trace).
   */
  seal(
    order: Int32Array | undefined,
    category: Uint16Array,
    sorted: Col,
    kindOf: (category: number) => RowKind,
    categories: number,
  ): SideTables {
    const tableOfCategory = Uint8Array.from({ length: categories }, (_, each) => sideTableOf(kindOf(each)));
    const orders = placesOf(order, category, sorted, tableOfCategory);
    const collectives = this.#tables[COLLECTIVES];
    const newRow = order === undefined || collectives.length === 0 ? undefined : inverse(order);
    orders[COLLECTIVES] = collectives.sortedBy(newRow);
    const [, ops, calls, python, device, sync, records, { event, columns }] = this.#tables.map((each, table) =>
      each.seal(orders[table]),
    );
    return {
      ops: {
        event: ops.event,
        externalId: ops.columns[0],
        sequence: ops.columns[1],
        forwardThread: ops.columns[2],
        inputDims: ops.columns[3] as Col<StringId>,
        inputTypes: ops.columns[4] as Col<StringId>,
      },
      calls: { event: calls.event, externalId: calls.columns[0] },
      python: { event: python.event, pythonId: python.columns[0], parentId: python.columns[1] },
      device: {
        event: device.event,
        device: device.columns[0],
        stream: device.columns[1],
        externalId: device.columns[2],
        bytes: device.columns[3],
        bandwidth: device.columns[4],
        graphId: device.columns[5],
        graphNodeId: device.columns[6],
      },
      sync: {
        event: sync.event,
        device: sync.columns[0],
        stream: sync.columns[1],
        waitOnStream: sync.columns[2],
        waitOnRecord: sync.columns[3],
        waitOnEventId: sync.columns[4],
      },
      records: {
        event: records.event,
        device: records.columns[0],
        stream: records.columns[1],
        eventId: records.columns[2],
      },
      collectives: {
        event,
        name: columns[0] as Col<StringId>,
        dtype: columns[1] as Col<StringId>,
        inElements: columns[2],
        outElements: columns[3],
        groupSize: columns[4],
        groupName: columns[5] as Col<StringId>,
        groupDescription: columns[6] as Col<StringId>,
        groupRanks: columns[7] as Col<StringId>,
        sequence: columns[8],
        commsId: columns[9] as Col<StringId>,
        rank: columns[10],
        peerRank: columns[11],
        rankStart: columns[12],
        rankStride: columns[13],
        inSplits: columns[14] as Col<StringId>,
        outSplits: columns[15] as Col<StringId>,
      },
    };
  }
}

/** Of each table but the collectives': its rows in the order of `order`. */
function placesOf(
  order: Int32Array | undefined,
  category: Uint16Array,
  sorted: Col,
  tableOfCategory: Uint8Array,
): SideOrder[] {
  const count = new Int32Array(SIDE_TABLES.length);
  const rows = sorted.length;
  const rowInTable = new Int32Array(rows);
  for (let row = 0; row < rows; row++) rowInTable[row] = count[tableOfCategory[category[row]]]++;
  // One array for all tables, each behind the one before.
  const first = new Int32Array(SIDE_TABLES.length);
  for (let table = 2; table < SIDE_TABLES.length; table++) first[table] = first[table - 1] + count[table - 1];
  const event = new Int32Array(rows - count[0]);
  const indices = new Int32Array(rows - count[0]);
  const next = first.slice();
  for (let row = 0; row < rows; row++) {
    const table = tableOfCategory[sorted[row]];
    if (table === 0) continue;
    const place = next[table]++;
    event[place] = row;
    indices[place] = rowInTable[order === undefined ? row : order[row]];
  }
  return SIDE_TABLES.map((_, table) => ({
    event: event.subarray(first[table], table === 0 ? 0 : next[table]),
    indices: indices.subarray(first[table], table === 0 ? 0 : next[table]),
  }));
}

function inverse(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}
