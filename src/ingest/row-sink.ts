import type { DiagnosticKind } from '../trace/diagnostics.ts';
import type { RawRow } from '../trace/raw-row.ts';

/** Keys beside `traceEvents` that matter. */
export const META_KEYS = ['distributedInfo', 'deviceProperties', 'baseTimeNanoseconds'] as const;
export type MetaKey = (typeof META_KEYS)[number];

/** What a scanner fills: the seam between bytes and columns. */
export interface RowSink {
  /** A whole row. The object is the scanner's scratch: it holds the next row when this returns. */
  event(row: RawRow): void;
  /** The value of a key beside `traceEvents`, as its JSON text (a view of the scanner's buffer), and where it stands. May come before or after the rows. */
  meta(key: MetaKey, json: Uint8Array, byteOffset: number): void;
  /** Where the `]` behind the rows stands. */
  rowsEnd?(byteOffset: number): void;
  damage(kind: DiagnosticKind, byteOffset: number): void;
}
