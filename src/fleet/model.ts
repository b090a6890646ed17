import type { KnownFrom } from '../graph/collective-facts.ts';
import type { Operation } from '../graph/collective-op.ts';
import type { EventId } from '../trace/ids.ts';

/**
 * What a communication call does, whatever its kernel is named; `custom`: a kernel that ranks run together without the vendor's library
 * (symmetric memory, an engine's own all-reduce) and without saying what it does: it meets only its like.
 */
export type CommOp = Operation | 'custom' | 'unknown';

/** A process group: the same name may stand for other ranks elsewhere, so both make its identity. */
export interface CommGroup {
  /**
   * Name and full list of ranks, as one text. Without a name: the stream, which says nothing of other ranks; then `signature` is what they
   * have in common.
   */
  readonly key: string;
  /** '' where the trace names none. */
  readonly name: string;
  /** What PyTorch says that it is for, such as `FSDP`; a label, no identity. '' where it says nothing. */
  readonly description: string;
  /** All members, ascending by their place in the group; undefined where the trace does not tell them all. */
  readonly ranks: readonly number[] | undefined;
  /** How many members it has; undefined where not told. */
  readonly size: number | undefined;
  /** Of a group without a name: which threads call what in it, such as `backward:all-reduce main:all-to-all`. '' of others. */
  readonly signature: string;
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
  /** As the trace calls it: `_allgather_base`, or the kernel's name. */
  readonly name: string;
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
  /** Bytes of the operation as nccl-tests counts them, the same on all ranks of most operations; undefined where not told. */
  readonly sizeBytes: number | undefined;
  /** Index of the step that launched it in {@link RankCalls.steps}, −1 outside of steps. */
  readonly step: number;
  /** The innermost annotation around its launch that is neither a step nor names the call itself; '' without one. */
  readonly annotation: string;
  /** All-to-all of which this rank sends nothing or receives nothing: not symmetric. */
  readonly hasZeroSplit: boolean;
  /**
   * Of a send or receive: since when its device has done nothing but send, receive and copy when it ends; `startNs` at the earliest, and `endNs`
   * where other work still runs then. Absent of others.
   */
  readonly idleFromNs?: number | undefined;
  readonly from: KnownFrom;
}

/** The communication of one rank. Plain data: it is part of the rank's summary file. */
export interface RankCalls {
  readonly rank: number;
  /** Of the job, as its trace says; undefined where it does not. */
  readonly worldSize: number | undefined;
  /** Unix time of the rank's time 0 by its own clock, whole ns; as text, since it is above 2^53. */
  readonly originUnixNs: string;
  readonly groups: readonly CommGroup[];
  /** Labels of its steps, in order of time: `ProfilerStep#5`. */
  readonly steps: readonly string[];
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
  readonly uncertaintyNs: (a: number, b: number) => number;
}
