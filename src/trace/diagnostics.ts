/**
 * Damage that is counted and survived. Each kind is declared once, with the sentence that people read.
 * Offsets are in the decompressed file.
 */
export const DIAGNOSTICS = {
  'malformed-event': 'a row that is not valid JSON was left out',
  'malformed-json': 'the JSON around the rows is damaged; the rows that could be found were read',
  'bad-separator': 'a comma between rows is missing or one too many',
  'bad-escape': 'a backslash that starts no JSON escape was read as itself',
  'invalid-utf8': 'bytes that are no UTF-8 were replaced',
  'bad-value': 'a value that is no JSON (N/A, nan, hex) was read as absent or as its number',
  'missing-field': 'a row without the fields that its phase needs was left out of the analysis',
  'no-timing': 'a row with zero or impossible timing counts in nothing that measures time',
  'negative-duration': 'a row with a negative duration counts in nothing that measures time',
  'huge-duration': 'a row longer than any trace can be counts in nothing that measures time',
  unfinished: 'a row that had not ended when the trace was written is clipped to its end',
  'unmatched-begin': 'a B row without its E row is clipped to the end of the trace',
  'unmatched-end': 'an E row without its B row was left out',
  'truncated-file': 'the file ends in the middle of its JSON; all whole rows were read',
  'truncated-compression': 'the compressed stream ends early or is damaged; what came before was read',
  'trailing-bytes': 'bytes behind the end of the compressed stream were ignored',
  'clock-domains': 'device rows lie in another clock than their launches',
  'number-precision': 'an id above 2^53 was rounded',
  'duplicate-rank': 'two files say that they are the same rank',
} as const;
/** A key of `DIAGNOSTICS`. */
export type DiagnosticKind = keyof typeof DIAGNOSTICS;

/** Damage of one kind. */
export interface Diagnostic {
  readonly kind: DiagnosticKind;
  readonly count: number;
  /** Where the first one stands, in the decompressed file. */
  readonly firstByteOffset: number;
}

/** Counts damage by kind; keeps the first place of each. */
export class Diagnostics {
  readonly #seen = new Map<DiagnosticKind, { count: number; firstByteOffset: number }>();

  record(kind: DiagnosticKind, byteOffset: number): void {
    const seen = this.#seen.get(kind);
    if (seen === undefined) {
      this.#seen.set(kind, { count: 1, firstByteOffset: byteOffset });
      return;
    }
    seen.count++;
    if (byteOffset < seen.firstByteOffset) seen.firstByteOffset = byteOffset;
  }

  /** Takes what was counted elsewhere. */
  merge(others: readonly Diagnostic[]): void {
    for (const { kind, count, firstByteOffset } of others) {
      this.record(kind, firstByteOffset);
      const seen = this.#seen.get(kind);
      if (seen !== undefined) seen.count += count - 1;
    }
  }

  /** By kind's name, ascending: the same damage prints the same bytes. */
  list(): Diagnostic[] {
    return [...this.#seen].map(([kind, seen]) => ({ kind, ...seen })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }
}
