import type { DurNs, TimeNs } from '../base/units.ts';
import type { Col } from './columns.ts';
import type { CategoryId, EventId, StringId, TrackId } from './ids.ts';

/** Phases that have rows. `M` rows name tracks and `E` rows close a `B` row; neither has a row of its own. */
export const Phase = {
  complete: 0,
  begin: 1,
  instant: 2,
  counter: 3,
  flowStart: 4,
  flowStep: 5,
  flowEnd: 6,
  asyncStart: 7,
  asyncStep: 8,
  asyncEnd: 9,
  other: 10,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

export const RowFlag = {
  /** Start or duration cannot be true (zero among epochs, years long, negative): the row counts in nothing that measures time. */
  noTiming: 1,
  /** The row had not ended when the trace was written; its duration is clipped to the trace's end. */
  unfinished: 2,
} as const;

/** One row an event, ascending by (start, −duration, position). 48 bytes a row. */
export interface EventTable {
  readonly length: number;
  readonly name: Col<StringId>;
  readonly category: Col<CategoryId>;
  readonly phase: Col<Phase>;
  /** `RowFlag`s, or 0. */
  readonly flags: Col;
  readonly track: Col<TrackId>;
  /** Nanoseconds since the trace's origin; 0 where `noTiming` is set. */
  readonly start: Col<TimeNs>;
  /** Nanoseconds, ≥ 0; 0 where `noTiming` is set and for rows without a length. */
  readonly dur: Col<DurNs>;
  /** Correlation of a call, a device row or a sync row; the id of a flow or async row. −1 where there is none. Exact up to 2^53. */
  readonly correlation: Col;
  /** The row's index in the file's `traceEvents`: the handle that people see. */
  readonly position: Col;
  /** Where the row's `{` stands in the decompressed file. */
  readonly byteOffset: Col;
}

/** A side table: rows ascending by `event`. Found by `lowerBound(table.event, e)`. */
interface SideTable {
  readonly event: Col<EventId>;
}

/** Of ops and annotations. */
export interface OpTable extends SideTable {
  /** `External id`, or −1. */
  readonly externalId: Col;
  /** `Sequence number`, or −1. */
  readonly sequence: Col;
  /** `Fwd thread id`, or −1. It is not a tid: a number above 0 only says that the op runs on a backward thread. */
  readonly forwardThread: Col;
  /** `Input Dims` as written, such as `[[20, 64], []]`; `NO_STRING` where shapes were not recorded. */
  readonly inputDims: Col<StringId>;
  /** `Input type` as written, such as `["float", "Scalar"]`; `NO_STRING` where shapes were not recorded. */
  readonly inputTypes: Col<StringId>;
}

/** Of runtime and driver calls. */
export interface CallTable extends SideTable {
  readonly externalId: Col;
}

export interface PythonTable extends SideTable {
  readonly pythonId: Col;
  /** `Python parent id`, or −1. */
  readonly parentId: Col;
}

/** Of device work. */
export interface DeviceTable extends SideTable {
  /** `args.device`; −1 where the row has none. */
  readonly device: Col;
  /** `args.stream`, coerced from text; −1 where the row has none. A double: some vendors use 64-bit queue handles. */
  readonly stream: Col;
  readonly externalId: Col;
  /** Bytes copied or filled; NaN where the row has none. */
  readonly bytes: Col;
  /** `memory bandwidth (GB/s)` as written; NaN where the row has none. */
  readonly bandwidth: Col;
  /** `graph id`, or 0. */
  readonly graphId: Col;
  /** `graph node id`, or 0. */
  readonly graphNodeId: Col;
}

/** Of `cuda_sync` rows and the like. The kind of wait is the row's name. −1 where a field is absent or the writer did not know it. */
export interface SyncTable extends SideTable {
  readonly device: Col;
  /** 4294967295 of early writers is read as −1. */
  readonly stream: Col;
  readonly waitOnStream: Col;
  readonly waitOnRecord: Col;
  readonly waitOnEventId: Col;
}

/** Of `cuda_event` rows. */
export interface RecordTable extends SideTable {
  readonly device: Col;
  readonly stream: Col;
  readonly eventId: Col;
}

/** Of every row that has collective args: `record_param_comms` ops and device rows. `NO_STRING` or −1 where absent. */
export interface CollectiveTable extends SideTable {
  readonly name: Col<StringId>;
  readonly dtype: Col<StringId>;
  readonly inElements: Col;
  readonly outElements: Col;
  readonly groupSize: Col;
  readonly groupName: Col<StringId>;
  readonly groupDescription: Col<StringId>;
  /** The list as text, perhaps cut by the writer with `...`. */
  readonly groupRanks: Col<StringId>;
  readonly sequence: Col;
  /** `Comms Id` as text: a 64-bit number. */
  readonly commsId: Col<StringId>;
  /** `Rank`: one's own place in the group; of rooted operations the root's, of sends and receives the other side's. */
  readonly rank: Col;
  /** The global rank on the other side of a send or a receive. */
  readonly peerRank: Col;
  /** Of groups whose ranks are evenly spaced: the first, and the distance to the next. */
  readonly rankStart: Col;
  readonly rankStride: Col;
  /** Elements to and from each member, as written, perhaps cut by the writer with `...`. */
  readonly inSplits: Col<StringId>;
  readonly outSplits: Col<StringId>;
}
