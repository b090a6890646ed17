import { PHASE_OF_LETTER, END_LETTER, META_LETTER, type TraceBuilder } from '../../trace/builder.ts';
import { SIDE_TABLES, sideTableOf } from '../../trace/builder-side.ts';
import type { StringId } from '../../trace/ids.ts';
import { COLLECTIVE_FIELDS } from '../../trace/raw-row.ts';
import type { RowBatch, TimingSurvey } from '../../trace/row-batch.ts';
import { decodeText } from '../decode-text.ts';
import { actionOf } from '../read-key.ts';
import { NumberReader } from '../read-number.ts';
import type { RowReader } from '../row-reader.ts';
import { MODULE_BASE64 } from './module.generated.ts';

/** As in assembly/layout.ts. */
const AT = {
  phaseOfLetter: 0x1100,
  phaseCount: 0x1200,
  sideTables: 0x1800,
  sideCount: 0x2100,
  sideCells: 0x2120,
  powers: 0x2140,
  masks: 0x21a0,
  columns: 0x8000,
} as const;
const SIDE_TABLE_BYTES = 272;
const CAPACITY = 4096;
/** Rows of this phase are left to the scanner. */
const TO_HOST = 255;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly start: () => void;
  readonly room: (bytes: number) => number;
  readonly read: (from: number, end: number, base: number) => number;
  readonly rowCount: WebAssembly.Global;
  readonly position: WebAssembly.Global;
  readonly comma: WebAssembly.Global;
  readonly firstEvent: WebAssembly.Global;
  readonly collectiveFields: WebAssembly.Global;
  readonly skipped: WebAssembly.Global;
  readonly suspects: WebAssembly.Global;
  readonly lowest: WebAssembly.Global;
  readonly highest: WebAssembly.Global;
  readonly firstSeconds: WebAssembly.Global;
  readonly firstNanos: WebAssembly.Global;
}

/** The compiled module, or why this host cannot run it: the same for every trace. */
let compiled: WebAssembly.Module | undefined | 'unable';

function compileModule(): WebAssembly.Module | undefined {
  if (compiled === undefined) {
    try {
      compiled = new WebAssembly.Module(Uint8Array.from(atob(MODULE_BASE64), (letter) => letter.charCodeAt(0)));
    } catch {
      // No WebAssembly here, or none with SIMD: the scanner reads all rows itself.
      compiled = 'unable';
    }
  }
  return compiled === 'unable' ? undefined : compiled;
}

/** A reader in WebAssembly that puts rows into `builder`; `undefined` where the host cannot run it. */
export function createWasmRows(builder: TraceBuilder): RowReader | undefined {
  const module = compileModule();
  return module === undefined ? undefined : new WasmRows(module, builder);
}

class WasmRows implements RowReader {
  position = 0;
  comma = true;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  readonly #builder: TraceBuilder;
  readonly #wasm: Exports;
  readonly #numbers = new NumberReader();
  /** All memory; made anew when it grew. */
  #memory: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #batch: Views | undefined;
  #address = 0;
  #length = 0;

  constructor(module: WebAssembly.Module, builder: TraceBuilder) {
    this.#builder = builder;
    const host = {
      addText: (from: number, length: number): number => {
        const { text, damage } = decodeText(this.#all(), from, from + length);
        return damage === 0 ? builder.strings.intern(text) : -1;
      },
      actionOfKey: (from: number, length: number, inArgs: number): number =>
        actionOf(this.#all(), from, from + length, inArgs !== 0),
      categoryOf: (text: StringId): number => {
        const { id, kind, isSkipped } = builder.categoryOf(text);
        return isSkipped ? -1 : (sideTableOf(kind) << 16) | id;
      },
      trackOf: (pid: StringId, tid: StringId): number => builder.trackOf(pid, tid),
      emptyText: (): number => builder.strings.intern(''),
      parseNumber: (from: number, length: number, isQuantity: number): number => {
        const value = this.#numbers.read(this.#all(), from, from + length);
        return this.#numbers.isJson && (isQuantity !== 0 || !this.#numbers.rounded) ? value : Number.NaN;
      },
    };
    const { exports } = new WebAssembly.Instance(module, { host });
    this.#wasm = exports as unknown as Exports;
    this.#wasm.start();
    this.#wasm.collectiveFields.value = COLLECTIVE_FIELDS;
    this.#writeTables();
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    // A view of memory that grew has no length any more.
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#wasm.memory.buffer, this.#address, this.#length);
    return this.#bytes;
  }

  makeRoom(length: number, from: number, to: number): void {
    const old = this.#address;
    if (length > this.#length) {
      this.#address = this.#wasm.room(length);
      this.#length = length;
    }
    this.#all().copyWithin(this.#address, old + from, old + to);
    this.#bytes = new Uint8Array(this.#wasm.memory.buffer, this.#address, this.#length);
  }

  read(at: number, end: number, base: number): number {
    const wasm = this.#wasm;
    const first = this.#address;
    wasm.position.value = this.position;
    wasm.comma.value = this.comma ? 1 : 0;
    let next = at + first;
    for (;;) {
      wasm.firstEvent.value = this.#builder.rowCount;
      next = wasm.read(next, end + first, base - first);
      const rows = wasm.rowCount.value;
      if (rows > 0 || wasm.skipped.value > 0) this.#flush(rows);
      if (rows < CAPACITY) break;
    }
    this.position = wasm.position.value;
    this.comma = wasm.comma.value !== 0;
    return next - first;
  }

  #flush(rows: number): void {
    const wasm = this.#wasm;
    if (this.#batch === undefined || this.#batch.name.length === 0) this.#batch = new Views(wasm.memory.buffer);
    this.#builder.append(this.#batch.take(rows, wasm.skipped.value, this.#survey()));
    this.#batch.clear();
    wasm.rowCount.value = 0;
    wasm.skipped.value = 0;
    wasm.suspects.value = 0;
  }

  /** Of all rows so far, but for the suspects: those are the batch's. */
  #survey(): TimingSurvey {
    const { suspects, lowest, highest, firstSeconds, firstNanos } = this.#wasm;
    return {
      suspects: suspects.value,
      lowest: lowest.value,
      highest: highest.value,
      firstSeconds: firstSeconds.value,
      firstNanos: firstNanos.value,
    };
  }

  #all(): Uint8Array<ArrayBuffer> {
    if (this.#memory.length === 0) this.#memory = new Uint8Array(this.#wasm.memory.buffer);
    return this.#memory;
  }

  #writeTables(): void {
    const bytes = this.#all();
    const view = new DataView(bytes.buffer);
    bytes.set(PHASE_OF_LETTER, AT.phaseOfLetter);
    for (const letter of [0, META_LETTER, END_LETTER]) bytes[AT.phaseOfLetter + letter] = TO_HOST;
    for (let power = 0; power <= 8; power++) view.setBigUint64(AT.powers + power * 8, 10n ** BigInt(power), true);
    bytes.fill(0xff, AT.masks, AT.masks + 16);
    SIDE_TABLES.forEach((columns, table) => {
      const at = AT.sideTables + table * SIDE_TABLE_BYTES;
      view.setInt32(at, columns.length, true);
      columns.forEach(({ field, absent }, column) => {
        view.setInt32(at + 8 + column * 16, field, true);
        view.setFloat64(at + 16 + column * 16, absent, true);
      });
    });
  }
}

/** The batch as it lies in memory, in the order of assembly/layout.ts. */
class Views {
  readonly name: Int32Array;
  readonly #columns: Omit<RowBatch, 'length' | 'sides' | 'skipped' | 'survey'>;
  readonly #counts: Uint32Array;
  readonly #cells: readonly Float64Array[];

  constructor(buffer: ArrayBuffer) {
    const column = <A>(make: new (buffer: ArrayBuffer, at: number, length: number) => A, at: number): A =>
      new make(buffer, AT.columns + at * CAPACITY, CAPACITY);
    this.name = column(Int32Array, 0);
    this.#columns = {
      name: this.name,
      track: column(Int32Array, 4),
      startNanos: column(Int32Array, 8),
      position: column(Uint32Array, 12),
      start: column(Float64Array, 16),
      dur: column(Float64Array, 24),
      correlation: column(Float64Array, 32),
      byteOffset: column(Float64Array, 40),
      category: column(Uint16Array, 48),
      phase: column(Uint8Array, 50),
      letters: new Uint32Array(buffer, AT.phaseCount, 256),
    };
    this.#counts = new Uint32Array(buffer, AT.sideCount, SIDE_TABLES.length);
    const begins = new Uint32Array(buffer, AT.sideCells, SIDE_TABLES.length);
    this.#cells = SIDE_TABLES.map(
      (columns, table) => new Float64Array(buffer, begins[table], (columns.length + 1) * CAPACITY),
    );
  }

  take(rows: number, skipped: number, survey: TimingSurvey): RowBatch {
    const sides = this.#cells.map((cells, table) =>
      cells.subarray(0, this.#counts[table] * (SIDE_TABLES[table].length + 1)),
    );
    return { ...this.#columns, length: rows, sides, skipped, survey };
  }

  clear(): void {
    this.#columns.letters.fill(0);
    this.#counts.fill(0);
  }
}
