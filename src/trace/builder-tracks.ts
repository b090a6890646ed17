import { NO_STRING, type StringId, type TrackId } from './ids.ts';
import { Field, type RawRow } from './raw-row.ts';
import type { StringTable } from './strings.ts';
import type { Track } from './trace.ts';

/** Ids above this do not fit the pair key; no trace has so many texts. */
const PAIR_BASE = 2 ** 26;
const CACHE_SIZE = 256;

/** Numbers the (pid, tid) pairs of rows, and keeps the names that `M` rows give them. */
export class TrackBuilder {
  readonly #strings: StringTable;
  readonly #ids = new Map<number, TrackId>();
  readonly #pairs: { readonly pid: StringId; readonly tid: StringId }[] = [];
  /** The pair last seen with each hash, and its id: rows of few tracks alternate. */
  readonly #cachedPair = new Float64Array(CACHE_SIZE).fill(Number.NaN);
  readonly #cachedId = new Int32Array(CACHE_SIZE);
  readonly #processNames = new Map<StringId, string>();
  readonly #processLabels = new Map<StringId, string>();
  readonly #threadNames = new Map<number, string>();

  constructor(strings: StringTable) {
    this.#strings = strings;
  }

  id(pid: StringId, tid: StringId): TrackId {
    const pair = pid * PAIR_BASE + tid;
    const slot = (pid * 31 + tid) & (CACHE_SIZE - 1);
    if (this.#cachedPair[slot] === pair) return this.#cachedId[slot] as TrackId;
    let id = this.#ids.get(pair);
    if (id === undefined) {
      id = this.#pairs.length as TrackId;
      this.#pairs.push({ pid, tid });
      this.#ids.set(pair, id);
    }
    this.#cachedPair[slot] = pair;
    this.#cachedId[slot] = id;
    return id;
  }

  /** The pairs in the order of their ids. */
  get pairs(): readonly { readonly pid: StringId; readonly tid: StringId }[] {
    return this.#pairs;
  }

  /** Takes an `M` row. */
  name(row: RawRow): void {
    const text = (field: Field): string => this.#strings.text(row.value(field, NO_STRING) as StringId);
    switch (this.#strings.text(row.name)) {
      case 'process_name':
        this.#processNames.set(row.pid, text(Field.metaName));
        break;
      case 'process_labels':
        this.#processLabels.set(row.pid, text(Field.metaLabels));
        break;
      case 'thread_name':
        this.#threadNames.set(row.pid * PAIR_BASE + row.tid, text(Field.metaName));
        break;
      default:
    }
  }

  seal(): Track[] {
    return this.#pairs.map(({ pid, tid }) => {
      const processName = this.#processNames.get(pid);
      const processLabels = this.#processLabels.get(pid);
      const threadName = this.#threadNames.get(pid * PAIR_BASE + tid);
      return {
        pid: this.#strings.text(pid),
        tid: this.#strings.text(tid),
        ...(processName !== undefined && { processName }),
        ...(processLabels !== undefined && { processLabels }),
        ...(threadName !== undefined && { threadName }),
      };
    });
  }
}
