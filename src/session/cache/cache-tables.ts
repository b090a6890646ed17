import type { Col } from '../../trace/columns.ts';
import type { Diagnostic } from '../../trace/diagnostics.ts';
import type { StringId } from '../../trace/ids.ts';
import type { StringTable } from '../../trace/strings.ts';
import type { Category, DeclaredGroup, DeviceProperties, RankSource, Trace, Track } from '../../trace/trace.ts';

export type ColumnArray = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;
/** The columns of a table, in the order in which they are written. */
export type Columns = readonly (readonly [name: string, values: ColumnArray])[];

/** The tables of a trace that are nothing but columns. */
export const TABLES = ['events', 'ops', 'calls', 'python', 'device', 'sync', 'records', 'collectives'] as const;
export type TableName = (typeof TABLES)[number];

/** What a trace has beside its columns and texts, as JSON has it. */
export interface Facts {
  readonly jsonBytes: number;
  readonly rank?: number;
  readonly rankFrom?: RankSource;
  readonly worldSize?: number;
  readonly backend?: string;
  readonly groups?: readonly DeclaredGroup[];
  readonly originUnixNs: string;
  readonly devices: readonly DeviceProperties[];
  readonly eventCount: number;
  readonly byPhase: Readonly<Record<string, number>>;
  readonly skippedRows: number;
  readonly categories: readonly Category[];
  readonly tracks: readonly Track[];
  readonly diagnostics: readonly Diagnostic[];
  /** Texts that UTF-8 cannot spell: the id, and the text with escapes. */
  readonly oddTexts: readonly (readonly [id: number, json: string])[];
}

export function columnsOf(trace: Trace, table: TableName): Columns {
  return Object.entries<Col | number>({ ...trace[table] }).filter(
    (entry): entry is [string, ColumnArray & Col] => typeof entry[1] !== 'number',
  );
}

export function factsOf(trace: Trace): Facts {
  const { jsonBytes, rank, rankFrom, worldSize, backend, groups, originUnixNs, devices, eventCount } = trace;
  const { byPhase, skippedRows, categories, tracks, diagnostics, strings } = trace;
  const oddTexts: [number, string][] = [];
  for (let id = 0; id < strings.length; id++) {
    const text = strings.text(id as StringId);
    if (!isWellFormed(text)) oddTexts.push([id, JSON.stringify(text)]);
  }
  return {
    jsonBytes,
    ...(rank !== undefined && { rank }),
    ...(rankFrom !== undefined && { rankFrom }),
    ...(worldSize !== undefined && { worldSize }),
    ...(backend !== undefined && { backend }),
    ...(groups !== undefined && { groups }),
    originUnixNs: String(originUnixNs),
    devices,
    eventCount,
    byPhase,
    skippedRows,
    categories,
    tracks,
    diagnostics,
    oddTexts,
  };
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** The texts of a trace as UTF-8, one behind the other, and where each begins. */
export function packTexts(
  strings: StringTable,
): { readonly offsets: Int32Array; readonly bytes: Uint8Array } | undefined {
  const encoder = new TextEncoder();
  const offsets = new Int32Array(strings.length + 1);
  let bytes = new Uint8Array(1 << 16);
  let used = 0;
  for (let id = 0; id < strings.length; id++) {
    const text = strings.text(id as StringId);
    const most = used + text.length * 3;
    // Arrow's offsets are 32 bits.
    if (most > 2 ** 31 - 1) return undefined;
    if (most > bytes.length) {
      const larger = new Uint8Array(Math.max(bytes.length * 2, most));
      larger.set(bytes);
      bytes = larger;
    }
    used += encoder.encodeInto(text, bytes.subarray(used)).written;
    offsets[id + 1] = used;
  }
  return { offsets, bytes: bytes.subarray(0, used) };
}

/** Texts that are decoded when they are asked for. */
class PackedTexts implements StringTable {
  readonly length: number;
  readonly #offsets: Int32Array;
  readonly #bytes: Buffer;
  readonly #texts: (string | undefined)[];
  #ids: Map<string, StringId> | undefined;

  constructor(offsets: Int32Array, bytes: Uint8Array, length: number, odd: Facts['oddTexts']) {
    this.length = length;
    this.#offsets = offsets;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#texts = Array.from({ length }, () => undefined);
    for (const [id, json] of odd) this.#texts[id] = JSON.parse(json) as string;
  }

  text(id: StringId): string {
    if (id < 0) return '';
    return (this.#texts[id] ??= this.#bytes.toString('utf8', this.#offsets[id], this.#offsets[id + 1]));
  }

  find(text: string): StringId | undefined {
    if (this.#ids === undefined) {
      this.#ids = new Map();
      for (let id = 0; id < this.length; id++) this.#ids.set(this.text(id as StringId), id as StringId);
    }
    return this.#ids.get(text);
  }
}

/** The trace that was taken apart. */
export function assembleTrace(
  file: string,
  facts: Facts,
  tables: Readonly<Record<TableName, { readonly length: number; readonly columns: Columns }>>,
  texts: { readonly offsets: Int32Array; readonly bytes: Uint8Array; readonly length: number },
): Trace {
  const { originUnixNs, oddTexts, ...rest } = facts;
  const columns = (table: TableName): unknown => Object.fromEntries(tables[table].columns);
  const sides = Object.fromEntries(TABLES.map((table) => [table, columns(table)])) as unknown as Trace;
  return {
    ...rest,
    ...sides,
    events: { ...sides.events, length: tables.events.length },
    file,
    originUnixNs: BigInt(originUnixNs),
    strings: new PackedTexts(texts.offsets, texts.bytes, texts.length, oddTexts),
  };
}
