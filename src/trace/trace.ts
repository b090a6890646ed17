import type { Diagnostic } from './diagnostics.ts';
import type { RowKind } from './kinds.ts';
import type { StringTable } from './strings.ts';
import type {
  CallTable,
  CollectiveTable,
  DeviceTable,
  EventTable,
  OpTable,
  PythonTable,
  RecordTable,
  SyncTable,
} from './tables.ts';

/** A (pid, tid) pair, as text: some writers put words there, and two numbers may differ only by their sign. */
export interface Track {
  readonly pid: string;
  readonly tid: string;
  readonly processName?: string;
  readonly processLabels?: string;
  readonly threadName?: string;
}

export interface Category {
  readonly name: string;
  readonly kind: RowKind;
}

export interface DeviceProperties {
  readonly id: number;
  readonly name: string;
}

/** A process group that the head of a trace lists (`distributedInfo.pg_config`). */
export interface DeclaredGroup {
  readonly name: string;
  readonly description: string;
  readonly size?: number;
  /** Global ranks by their place in the group. */
  readonly ranks?: readonly number[];
}

export type RankSource = 'distributed-info' | 'file-name' | 'caller';

/** The trace of one rank. Immutable; everything else is a pure function of it. */
export interface Trace {
  /** The name people gave, for messages only: never opened again from here. */
  readonly file: string;
  /** Bytes of JSON, decompressed. */
  readonly jsonBytes: number;
  readonly rank?: number;
  /** Who says the rank: `distributedInfo` of the trace, the file's name, or the caller. Absent without a rank. */
  readonly rankFrom?: RankSource;
  readonly worldSize?: number;
  readonly backend?: string;
  /** Of the job, as far as this rank is in them; absent where the trace has no such list. */
  readonly groups?: readonly DeclaredGroup[];
  /** The instant of time 0 since 1970 in nanoseconds. */
  readonly originUnixNs: bigint;
  readonly devices: readonly DeviceProperties[];
  /** Every whole row read, damaged ones included. */
  readonly eventCount: number;
  /** Rows by the `ph` in the file. */
  readonly byPhase: Readonly<Record<string, number>>;
  /** Rows of the categories that the reader was told to leave out. */
  readonly skippedRows: number;
  readonly strings: StringTable;
  readonly categories: readonly Category[];
  readonly tracks: readonly Track[];
  readonly events: EventTable;
  readonly ops: OpTable;
  readonly calls: CallTable;
  readonly python: PythonTable;
  readonly device: DeviceTable;
  readonly sync: SyncTable;
  readonly records: RecordTable;
  readonly collectives: CollectiveTable;
  readonly diagnostics: readonly Diagnostic[];
}
