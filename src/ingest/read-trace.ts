import { err, ok, type Result } from '../base/result.ts';
import { TraceBuilder } from '../trace/builder.ts';
import type { DiagnosticKind } from '../trace/diagnostics.ts';
import type { RawRow } from '../trace/raw-row.ts';
import type { Trace } from '../trace/trace.ts';
import { describeDamaged, describeFailure, type ReadError } from './read-error.ts';
import type { MetaKey, RowSink } from './row-sink.ts';
import type { RestOfTrace } from './read-rest.ts';
import { Scanner } from './scan.ts';
import { createWasmRows } from './wasm/wasm-rows.ts';
import { rankOfFileName, readHeadFact, type HeadFacts } from './trace-facts.ts';

export type { ReadError } from './read-error.ts';

export type ScannerChoice = 'wasm' | 'ts';

/** Rows are not spread evenly over a file: room is made for some more than expected. */
const EXPECTED_MORE = 1.1;
/** Below so many bytes WebAssembly would not pay for its start. */
const SMALL = 1 << 18;

/** How a trace is read. */
export interface OpenOptions {
  /** The name of the file: for messages, and for the rank where the trace does not say it. */
  readonly file?: string;
  /** The rank where neither the trace nor the file's name says it. */
  readonly fallbackRank?: number;
  /** Reading ends with an error once it is aborted: an `AbortSignal`. */
  readonly signal?: { readonly aborted: boolean };
  /** Categories whose rows are counted and left out: `['python_function']` takes less memory. */
  readonly skip?: readonly string[];
  /** Bytes of JSON at most. */
  readonly maxBytes?: number;
  /** Told after each chunk how many bytes of JSON were read, and which share of a file's bytes that is. */
  readonly onProgress?: (jsonBytes: number, fileShare?: number) => void;
}

export interface ReadOptions extends OpenOptions {
  readonly file: string;
  /** Who reads the rows: WebAssembly, or TypeScript alone. Both give the same trace; by default WebAssembly reads all but small files. */
  readonly scanner?: ScannerChoice;
}

/** Reads one trace from chunks, synchronously. Used once: `push` each chunk, then `finish`. */
export class TraceReader {
  readonly #options: ReadOptions;
  readonly #builder: TraceBuilder;
  readonly #facts: HeadFacts = {};
  readonly #scanner: Scanner;
  /** The length of JSON from which on the rows are read in WebAssembly. */
  #accelerateFrom: number;
  #error: ReadError | undefined;
  #isCompressionDamaged = false;
  #rest: RestOfTrace | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#builder = new TraceBuilder(options.skip);
    const sink: RowSink = {
      event: (row: RawRow) => this.#builder.push(row),
      meta: (key: MetaKey, json: Uint8Array, byteOffset: number) => this.#takeMeta(key, json, byteOffset),
      damage: (kind: DiagnosticKind, byteOffset: number) => this.damage(kind, byteOffset),
    };
    this.#scanner = new Scanner(this.#builder.strings, sink);
    this.#accelerateFrom = options.scanner === 'ts' ? Infinity : options.scanner === 'wasm' ? 0 : SMALL;
  }

  /** Why the trace cannot be read, once that is sure; further chunks are ignored then. */
  get error(): ReadError | undefined {
    return this.#error;
  }

  /** Bytes of JSON taken so far. */
  get byteLength(): number {
    return this.#scanner.byteLength;
  }

  /** Takes a chunk; its bytes are copied, so its owner may reuse them. */
  push(chunk: Uint8Array): void {
    if (this.#error !== undefined) return;
    const { signal, maxBytes = Infinity, onProgress } = this.#options;
    if (signal?.aborted === true) {
      this.#error = { code: 'aborted', message: 'reading was cancelled' };
      return;
    }
    if (this.byteLength + chunk.length > maxBytes) {
      this.#error = {
        code: 'too-large',
        message: `more than ${maxBytes} bytes of JSON`,
        byteOffset: maxBytes,
        hint: 'raise the limit with --max-bytes, or cut the trace to a window first',
      };
      return;
    }
    if (this.byteLength + chunk.length >= this.#accelerateFrom) this.#accelerate();
    this.#scanner.push(chunk);
    this.#takeFailure();
    onProgress?.(this.byteLength);
  }

  #accelerate(): void {
    this.#accelerateFrom = Infinity;
    const reader = createWasmRows(this.#builder);
    if (reader !== undefined) this.#scanner.accelerate(reader);
  }

  /** Says that what was read so far is about this share of all: room is made for the rest at once. */
  expect(share: number): void {
    this.#builder.reserve(EXPECTED_MORE / share);
  }

  /** Counts damage that was found outside the JSON, such as in its compression. */
  damage(kind: DiagnosticKind, byteOffset: number): void {
    if (kind === 'truncated-compression') this.#isCompressionDamaged = true;
    this.#builder.diagnostics.record(kind, byteOffset);
  }

  #takeMeta(key: MetaKey, json: Uint8Array, byteOffset: number): void {
    if (!readHeadFact(this.#facts, key, json)) this.damage('malformed-json', byteOffset);
  }

  /**
   * Takes the rest of the file, which was read elsewhere from the begin of a row on. False, and nothing changed, where that was no begin of a
   * row after all, or where the rest is in a state of which only reading it from here on can tell: then the caller goes on with its bytes.
   */
  addRest(rest: RestOfTrace): boolean {
    const scanner = this.#scanner;
    const fits = rest.byteOffset === scanner.byteLength && rest.isBare === scanner.isBare && scanner.isAtRow;
    if (!fits || this.#error !== undefined || !rest.isSound) return false;
    this.#builder.addPart(rest.part, scanner.rowCount);
    for (const { key, json, byteOffset } of rest.meta) this.#takeMeta(key, json, byteOffset);
    this.#rest = rest;
    return true;
  }

  /** The trace, or why there is none. */
  finish(): Result<Trace, ReadError> {
    if (this.#error === undefined && this.#rest === undefined) {
      this.#scanner.finish();
      this.#takeFailure();
    }
    if (this.#error !== undefined) return err(this.#error);
    const { file, fallbackRank } = this.#options;
    return ok(
      this.#builder.seal({
        ...this.#facts,
        file,
        jsonBytes: this.#rest?.byteLength ?? this.byteLength,
        eventCount: this.#scanner.rowCount + (this.#rest?.rowCount ?? 0),
        ...rankOf(this.#facts.rank, file, fallbackRank),
      }),
    );
  }

  #takeFailure(): void {
    const failure = this.#scanner.failure;
    if (failure === undefined) return;
    const { code, byteOffset } = failure;
    const isCut = this.#isCompressionDamaged && (code === 'empty-file' || code === 'ends-early');
    this.#error = isCut ? describeDamaged(byteOffset) : describeFailure(code, byteOffset);
  }
}

/** The rank by the most trustworthy of those who say it. */
function rankOf(
  said: number | undefined,
  file: string,
  fallback: number | undefined,
): Pick<Trace, 'rank' | 'rankFrom'> {
  if (said !== undefined) return { rank: said, rankFrom: 'distributed-info' };
  const named = rankOfFileName(file);
  if (named !== undefined) return { rank: named, rankFrom: 'file-name' };
  return fallback === undefined ? {} : { rank: fallback, rankFrom: 'caller' };
}

/** Reads one trace. Damage is counted in its `diagnostics`; an error means that there is nothing to analyse. Rejects only if `chunks` does. */
export async function readTrace(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): Promise<Result<Trace, ReadError>> {
  const reader = new TraceReader(options);
  for await (const chunk of chunks) {
    reader.push(chunk);
    if (reader.error !== undefined) break;
  }
  return reader.finish();
}
