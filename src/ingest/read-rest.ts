import { TraceBuilder } from '../trace/builder.ts';
import type { BuilderPart } from '../trace/builder-part.ts';
import type { ReadOptions } from './read-trace.ts';
import type { MetaKey } from './row-sink.ts';
import { Scanner, type RowBegin } from './scan.ts';
import { createWasmRows } from './wasm/wasm-rows.ts';

/** As for a whole file. */
const EXPECTED_MORE = 1.1;

/** The rows of a file from some row on, and what comes behind them; can be posted to another thread. */
export interface RestOfTrace extends RowBegin {
  /** Of the whole file. */
  readonly byteLength: number;
  readonly rowCount: number;
  /** What can be added to what came before, without knowing that. */
  readonly isSound: boolean;
  readonly part: BuilderPart;
  readonly meta: readonly { readonly key: MetaKey; readonly json: Uint8Array; readonly byteOffset: number }[];
}

/**
 * Reads a file from a place on that is taken to be the begin of a row. Whether it is one, only reading what comes before can tell: then
 * `TraceReader.addRest` takes it, or not.
 */
export class RestReader {
  readonly #from: RowBegin;
  readonly #builder: TraceBuilder;
  readonly #meta: RestOfTrace['meta'][number][] = [];
  readonly #scanner: Scanner;

  constructor(from: RowBegin, { skip, scanner }: Pick<ReadOptions, 'skip' | 'scanner'>) {
    this.#from = from;
    this.#builder = new TraceBuilder(skip, true);
    this.#scanner = new Scanner(
      this.#builder.strings,
      {
        event: (row) => this.#builder.push(row),
        meta: (key, json, byteOffset) => this.#meta.push({ key, json: json.slice(), byteOffset }),
        damage: (kind, byteOffset) => this.#builder.diagnostics.record(kind, byteOffset),
      },
      from,
    );
    const reader = scanner === 'ts' ? undefined : createWasmRows(this.#builder);
    if (reader !== undefined) this.#scanner.accelerate(reader);
  }

  /** Of the whole file, so far. */
  get byteLength(): number {
    return this.#scanner.byteLength;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** As `TraceReader.expect`. */
  expect(share: number): void {
    this.#builder.reserve(EXPECTED_MORE / share);
  }

  finish(): RestOfTrace {
    this.#scanner.finish();
    const { byteLength, rowCount, failure, sawPhase } = this.#scanner;
    const isSound = failure === undefined && sawPhase;
    return { ...this.#from, byteLength, rowCount, isSound, part: this.#builder.takePart(), meta: this.#meta };
  }
}
