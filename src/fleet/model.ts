import type { EventId } from '../trace/ids.ts';

/** What a communication call does, whatever its kernel is named. */
export type CommOp =
  | 'all_reduce'
  | 'all_gather'
  | 'reduce_scatter'
  | 'all_to_all'
  | 'broadcast'
  | 'reduce'
  | 'gather'
  | 'scatter'
  | 'barrier'
  | 'send'
  | 'recv'
  | 'send_recv'
  | 'unknown';

/** A process group: the same name may stand for other ranks elsewhere, so both make its identity. */
export interface CommGroup {
  /** Name and full list of ranks, as one text. */
  readonly key: string;
  /** '' where the trace names none. */
  readonly name: string;
  /** What PyTorch says that it is for, such as `FSDP`; a label, no identity. '' where it says nothing. */
  readonly description: string;
  /** All members, ascending by their place in the group; undefined where the trace does not tell them all. */
  readonly ranks: readonly number[] | undefined;
  /** How many members it has; undefined where not told. */
  readonly size: number | undefined;
}

/** One call of one rank: one device kernel, or the kernels of one coalesced call. Times in ns since the rank's trace origin. */
export interface CommCall {
  /** The kernels, in start order. */
  readonly events: readonly EventId[];
  /** When this rank arrived: its first kernel's start. */
  readonly startNs: number;
  /** When the last of its kernels ended. */
  readonly endNs: number;
  readonly op: CommOp;
  /** Index into {@link RankCalls.groups}. */
  readonly group: number;
  /** `Seq` of its args; −1 where not told. */
  readonly sequence: number;
  /** `Comms Id` of its args as it stands there; '' where not told. */
  readonly commsId: string;
  /** Global rank of the root, or of the other side of a send or receive; −1 where not told or where there is none. */
  readonly peer: number;
  readonly bytesIn: number | undefined;
  readonly bytesOut: number | undefined;
  readonly dtype: string;
  /** Index of the step that launched it, −1 outside of steps. */
  readonly step: number;
  /** All-to-all of which this rank sends nothing or receives nothing: not symmetric. */
  readonly hasZeroSplit: boolean;
  readonly from: 'args' | 'record' | 'annotation' | 'kernel-name';
}

/** The communication of one rank. Plain data: it is part of the rank's summary file. */
export interface RankCalls {
  readonly rank: number;
  readonly groups: readonly CommGroup[];
  /** Ascending by start. */
  readonly calls: readonly CommCall[];
}

/** A call of a rank, by its position in {@link RankCalls.calls}. */
export interface MeetingMember {
  readonly rank: number;
  readonly call: number;
  /** `root` and `leaf` of rooted operations, `send` and `receive` of transfers, else `all`. */
  readonly role: 'all' | 'root' | 'leaf' | 'send' | 'receive';
}

/** Calls of several ranks that are one collective, or one transfer. */
export interface Meeting {
  readonly op: CommOp;
  readonly groupKey: string;
  /** Ascending by rank. */
  readonly members: readonly MeetingMember[];
  /** Whether all members of the group are here; where not, an unseen rank may have come last. */
  readonly isComplete: boolean;
  readonly how: 'comms-id' | 'sequence' | 'order' | 'heuristic:order';
}

/** Where the clock of every rank stands against the job's. */
export interface Clocks {
  /**
   * By index of rank: add it to a time of that rank (ns since its trace's origin) for ns since the job's origin, by the line
   * `offsetNs + driftPpm × 1e-6 × time`.
   */
  readonly offsetNs: Float64Array;
  readonly driftPpm: Float64Array;
  /** By index of rank: the part whose clocks are tied to each other; ranks of different parts have no cross-rank numbers. */
  readonly component: Int32Array;
  /** How far the difference of the two ranks' clocks may be off, ns. Infinity across components. */
  uncertaintyNs(a: number, b: number): number;
}
