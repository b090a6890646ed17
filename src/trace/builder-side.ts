import { ColBuilder, type Col } from './columns.ts';
import type { EventId, StringId } from './ids.ts';
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
  readonly values: ColBuilder<Float64Array> | ColBuilder<Int32Array>;
}

const wide = (field: Field, absent = -1): Column => ({ field, absent, values: new ColBuilder(Float64Array, 64) });
const narrow = (field: Field, absent = -1): Column => ({ field, absent, values: new ColBuilder(Int32Array, 64) });

/** A side table that grows: one column a field. */
class SideBuilder {
  readonly #event = new ColBuilder(Int32Array, 64);
  readonly #columns: readonly Column[];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get length(): number {
    return this.#event.length;
  }

  push(event: number, row: RawRow): void {
    this.#event.push(event);
    for (const { field, absent, values } of this.#columns) {
      values.push(field < FIRST_TEXT_FIELD ? row.number(field, absent) : row.text(field));
    }
  }

  /** Fills what the row of `event` lacks with the fields of another row. */
  fill(event: number, fields: RawRow): void {
    const index = this.#indexOf(event);
    if (index === undefined) return;
    for (const { field, absent, values } of this.#columns) {
      if (!Object.is(values.get(index), absent)) continue;
      values.set(index, field < FIRST_TEXT_FIELD ? fields.number(field, absent) : fields.text(field));
    }
  }

  /** Rows are pushed in ascending order of their event. */
  #indexOf(event: number): number | undefined {
    let low = 0;
    let high = this.#event.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#event.get(middle) < event) low = middle + 1;
      else high = middle;
    }
    return low < this.#event.length && this.#event.get(low) === event ? low : undefined;
  }

  /** The columns, ascending by the events' new rows: `event` first, the others as they were declared. O(rows of the trace). */
  seal(order: Int32Array | undefined): { readonly event: Col<EventId>; readonly columns: readonly Col[] } {
    if (order === undefined || this.length === 0) {
      return { event: this.#event.take<EventId>(), columns: this.#columns.map(({ values }) => values.take()) };
    }
    const indexOfOld = new Int32Array(order.length).fill(-1);
    for (let index = 0; index < this.length; index++) indexOfOld[this.#event.get(index)] = index;
    const event = new ColBuilder(Int32Array, this.length);
    const indices = new Int32Array(this.length);
    for (let row = 0; row < order.length; row++) {
      const index = indexOfOld[order[row]];
      if (index < 0) continue;
      indices[event.length] = index;
      event.push(row);
    }
    return { event: event.take<EventId>(), columns: this.#columns.map(({ values }) => values.take(indices)) };
  }
}

export interface SideTables {
  readonly ops: OpTable;
  readonly calls: CallTable;
  readonly python: PythonTable;
  readonly device: DeviceTable;
  readonly sync: SyncTable;
  readonly records: RecordTable;
  readonly collectives: CollectiveTable;
}

/** The args of rows, in one table a kind of row. */
export class SideTablesBuilder {
  readonly #ops = new SideBuilder([wide(Field.externalId), wide(Field.sequence), wide(Field.forwardThread)]);
  readonly #calls = new SideBuilder([wide(Field.externalId)]);
  readonly #python = new SideBuilder([wide(Field.pythonId), wide(Field.parentId)]);
  readonly #device = new SideBuilder([
    wide(Field.device),
    wide(Field.stream),
    wide(Field.externalId),
    wide(Field.bytes, Number.NaN),
    wide(Field.bandwidth, Number.NaN),
    wide(Field.graphId, 0),
    wide(Field.graphNodeId, 0),
  ]);
  readonly #sync = new SideBuilder([
    wide(Field.device),
    wide(Field.stream),
    wide(Field.waitOnStream),
    wide(Field.waitOnRecord),
    wide(Field.waitOnEventId),
  ]);
  readonly #records = new SideBuilder([wide(Field.device), wide(Field.stream), wide(Field.eventId)]);
  readonly #collectives = new SideBuilder([
    narrow(Field.collectiveName),
    narrow(Field.dtype),
    wide(Field.inElements),
    wide(Field.outElements),
    wide(Field.groupSize),
    narrow(Field.groupName),
    narrow(Field.groupDescription),
    narrow(Field.groupRanks),
    wide(Field.collectiveSequence),
    narrow(Field.commsId),
    wide(Field.rank),
  ]);

  push(event: number, kind: RowKind, row: RawRow): void {
    if (kind === RowKind.sync) this.#forgetUnknownStreams(row);
    this.#tableOf(kind)?.push(event, row);
    if ((row.present & COLLECTIVE_FIELDS) !== 0) this.#collectives.push(event, row);
  }

  /** Adds the args of an `E` row to those of its `B` row. */
  fill(event: number, kind: RowKind, fields: RawRow): void {
    this.#tableOf(kind)?.fill(event, fields);
    this.#collectives.fill(event, fields);
  }

  #tableOf(kind: RowKind): SideBuilder | undefined {
    if (kind === RowKind.op || kind === RowKind.annotation) return this.#ops;
    if (isCall(kind)) return this.#calls;
    if (kind === RowKind.python) return this.#python;
    if (isDeviceWork(kind) || kind === RowKind.gpuAnnotation) return this.#device;
    if (kind === RowKind.sync) return this.#sync;
    return kind === RowKind.record ? this.#records : undefined;
  }

  #forgetUnknownStreams(row: RawRow): void {
    if (row.numbers[Field.stream] === UNKNOWN_STREAM) row.numbers[Field.stream] = -1;
    if (row.numbers[Field.waitOnStream] === UNKNOWN_STREAM) row.numbers[Field.waitOnStream] = -1;
  }

  seal(order: Int32Array | undefined): SideTables {
    const ops = this.#ops.seal(order);
    const calls = this.#calls.seal(order);
    const python = this.#python.seal(order);
    const device = this.#device.seal(order);
    const sync = this.#sync.seal(order);
    const records = this.#records.seal(order);
    const { event, columns } = this.#collectives.seal(order);
    return {
      ops: {
        event: ops.event,
        externalId: ops.columns[0],
        sequence: ops.columns[1],
        forwardThread: ops.columns[2],
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
      },
    };
  }
}
