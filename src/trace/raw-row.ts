import type { StringId } from './ids.ts';
import { NO_STRING } from './ids.ts';

/**
 * The args that have columns, numbers first. The value is the field's slot, and its bit in `RawRow.present`. A word has 32 bits, so fields of
 * collectives share slots with those of rows that are never one: sync rows and `M` rows.
 */
export const Field = {
  correlation: 0,
  externalId: 1,
  sequence: 2,
  forwardThread: 3,
  pythonId: 4,
  parentId: 5,
  device: 6,
  stream: 7,
  bytes: 8,
  bandwidth: 9,
  graphId: 10,
  graphNodeId: 11,
  waitOnStream: 12,
  waitOnRecord: 13,
  waitOnEventId: 14,
  /** `Src Rank` of a receive, `Dst Rank` of a send. */
  peerRank: 12,
  /** `Global rank start` and `Global rank stride` of the group. */
  rankStart: 13,
  rankStride: 14,
  eventId: 15,
  inElements: 16,
  outElements: 17,
  groupSize: 18,
  collectiveSequence: 19,
  rank: 20,
  collectiveName: 21,
  dtype: 22,
  groupName: 23,
  groupDescription: 24,
  groupRanks: 25,
  commsId: 26,
  /** `args.name` of an `M` row. */
  metaName: 27,
  /** `args.labels` of an `M` row. */
  metaLabels: 28,
  /** `In split size` and `Out split size`, lists as text. */
  inSplits: 27,
  outSplits: 28,
  /** `Input Dims`, a list as text. */
  inputDims: 29,
  /** `Input type`, a list as text. */
  inputTypes: 30,
} as const;
export type Field = (typeof Field)[keyof typeof Field];

/** Fields below this slot hold numbers, the others texts. */
export const FIRST_TEXT_FIELD = Field.collectiveName;
const FIELD_COUNT = 31;

/** Row has a collective's args. */
export const COLLECTIVE_FIELDS =
  (1 << Field.inElements) |
  (1 << Field.outElements) |
  (1 << Field.groupSize) |
  (1 << Field.collectiveName) |
  (1 << Field.dtype) |
  (1 << Field.groupName) |
  (1 << Field.groupDescription) |
  (1 << Field.groupRanks) |
  (1 << Field.commsId);

/**
 * One event as it stands in the file: the scratch that a scanner fills and a builder reads, again and again.
 * Time is a pair (whole seconds, nanoseconds below one) so that it is exact before any origin is known.
 */
export class RawRow {
  /** The row's index in the file's `traceEvents`. */
  position = 0;
  /** Where the row's `{` stands in the decompressed file. */
  byteOffset = 0;
  /** Bytes from its `{` to its `}`, both included. */
  byteLength = 0;
  /** The byte of a one-letter `ph`, or 0. */
  phase = 0;
  name: StringId = NO_STRING;
  category: StringId = NO_STRING;
  /** `pid` and `tid` as text, numbers as written. */
  pid: StringId = NO_STRING;
  tid: StringId = NO_STRING;
  hasStart = false;
  startSeconds = 0;
  /** 0 ≤ n < 10⁹. */
  startNanos = 0;
  /** Nanoseconds; NaN where absent. Exact up to 2^53. */
  dur = Number.NaN;
  /** Picoseconds cut off by rounding start and length to nanoseconds: −500 ≤ p ≤ 500 each. The end is rounded once, from the sum of all. */
  startRest = 0;
  durRest = 0;
  /** The `id` of a flow or async row; NaN where absent. */
  id = Number.NaN;
  /** A bit for each `Field` that the row has. */
  present = 0;
  /** A number or a `StringId` for each `Field` that is present. */
  readonly values = new Float64Array(FIELD_COUNT);

  clear(): void {
    this.phase = 0;
    this.name = NO_STRING;
    this.category = NO_STRING;
    this.pid = NO_STRING;
    this.tid = NO_STRING;
    this.hasStart = false;
    this.dur = Number.NaN;
    this.startRest = 0;
    this.durRest = 0;
    this.id = Number.NaN;
    this.present = 0;
  }

  /** The field's number or `StringId`, or `absent`. */
  value(field: Field, absent: number): number {
    return (this.present & (1 << field)) === 0 ? absent : this.values[field];
  }
}
