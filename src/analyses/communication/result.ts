import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';
import type { Group, KnownFrom, UnknownSize } from '../../graph/collective-facts.ts';
import type { Operation } from '../../graph/collective-op.ts';

export type { Group, KnownFrom, UnknownSize } from '../../graph/collective-facts.ts';

/** GB/s: 1e9 bytes a second. */
export interface Bandwidth {
  /** Bytes of the operation ÷ its duration. */
  readonly algorithmGBps: number;
  /** That × the operation's factor; absent where the group's size is needed and not known. */
  readonly busGBps?: number;
}

/** One collective call on one device: all kernels that one `record_param_comms` launched there, else one kernel. */
export interface CollectiveCall {
  /** Its first kernel. */
  readonly event: EventReference;
  readonly kernels: number;
  /** The `record_param_comms` that launched it. */
  readonly record?: EventReference;
  readonly device: number;
  readonly operation: Operation | 'unknown';
  /** As the trace calls it. */
  readonly name: string;
  readonly operationFrom: KnownFrom;
  readonly group?: Group;
  /** `Seq`: the number of the call within its group. */
  readonly sequence?: number;
  readonly dtype?: string;
  readonly inBytes?: number;
  readonly outBytes?: number;
  /** Bytes of the operation: see `Bandwidth`. */
  readonly sizeBytes?: number;
  readonly sizeFrom?: KnownFrom;
  /** Exactly where `sizeBytes` is absent. */
  readonly sizeUnknown?: UnknownSize;
  readonly startNs: number;
  /** When its last kernel ended. It may lie behind the window. */
  readonly endNs: number;
  /** From its first kernel's start to its last one's end, waiting for the other ranks included. */
  readonly durationNs: number;
  /** Its kernels were running while computation ran on the device too, and while none did. */
  readonly overlappedNs: number;
  readonly exposedNs: number;
  /** On the path of the windows. */
  readonly pathNs: number;
  readonly bandwidth?: Bandwidth;
}

/** Calls of one operation, group, size and type. */
export interface CollectiveGroup {
  readonly operation: CollectiveCall['operation'];
  readonly group?: Group;
  readonly dtype?: string;
  readonly sizeBytes?: number;
  readonly calls: number;
  readonly totalNs: number;
  readonly minNs: number;
  readonly medianNs: number;
  readonly meanNs: number;
  readonly maxNs: number;
  readonly overlappedNs: number;
  readonly exposedNs: number;
  readonly pathNs: number;
  /** Of the calls whose bandwidth is known; that of the fastest call has the least waiting in it. */
  readonly algorithmGBps?: { readonly median: number; readonly max: number };
  /** The same with the operation's factor. */
  readonly busGBps?: { readonly median: number; readonly max: number };
  readonly longest: EventReference;
}

/** Communication of one device, unions over its streams, within the windows. */
export interface DeviceCommunication {
  readonly device: number;
  /** = `overlappedNs` + `exposedNs`. */
  readonly communicationNs: number;
  /** While computation ran too. */
  readonly overlappedNs: number;
  readonly exposedNs: number;
  /** Overlapped ÷ communication, 0…1. */
  readonly overlapShare: number;
}

export interface CommunicationResult extends ScopeResult {
  /** Devices that communicate in the windows, ascending. */
  readonly devices: readonly DeviceCommunication[];
  /** On the path of the windows. */
  readonly pathNs: number;
  /** Most time first. */
  readonly groups: readonly CollectiveGroup[];
  /** All that run in the windows; the most exposed first. */
  readonly calls: readonly CollectiveCall[];
}
