import type { UnexplainedCause } from '../../graph/segments.ts';
import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/**
 * What a device waited for. The first five are the host's own time: it had not launched the next op yet.
 * `host-work`: in an op or a call; `host-gap`: between ops (Python, or nothing); `allocator`: in a call that allocates or frees memory;
 * `synchronising-call`: in a call that waits, after what it waited for was over; `data-loading`: under names that mean loading.
 * `launch`: from the return of the launch call to the start. `stream-order`, `graph-order`: between an op and the next one of its stream or
 * graph. `event-wait`: after what another stream waited for was over. `other-device`: an op of another device ran.
 * `other-rank`: another rank was not there yet. `unexplained`: no constraint of the graph accounts for it.
 */
export const IDLE_CAUSES = [
  'host-work',
  'host-gap',
  'data-loading',
  'synchronising-call',
  'allocator',
  'launch',
  'stream-order',
  'graph-order',
  'event-wait',
  'other-device',
  'other-rank',
  'unexplained',
] as const;
/** One of `IDLE_CAUSES`. */
export type IdleCause = (typeof IDLE_CAUSES)[number];

/**
 * Causes that one does the same about. All time before a device's first op of the trace, and after its last, is a group of its own,
 * whatever caused it: there the run begins and ends.
 */
export const IDLE_GROUPS = [
  'host-late',
  'launch',
  'device-order',
  'other-device',
  'other-rank',
  'before-first-op',
  'after-last-op',
  'unexplained',
] as const;
/** One of `IDLE_GROUPS`. */
export type IdleGroup = (typeof IDLE_GROUPS)[number];

/** Idle time of one cause. */
export interface CauseTime {
  readonly cause: IdleCause;
  readonly totalNs: number;
  /** Of the idle time, 0…1. */
  readonly share: number;
}

/** Idle time of one group of causes. */
export interface GroupTime {
  readonly group: IdleGroup;
  readonly totalNs: number;
  /** Of the idle time, 0…1. */
  readonly share: number;
  /** The longest first; they sum to `totalNs`. Empty where it is 0. */
  readonly causes: readonly CauseTime[];
}

/** Idle: no op of the device ran, on any of its streams. Σ `groups` = `idleNs`, exactly. */
export interface IdleTime {
  readonly rank: number;
  readonly device: number;
  readonly wallNs: number;
  readonly idleNs: number;
  /** Of the wall time, 0…1. */
  readonly idleShare: number;
  /** In the order of `IDLE_GROUPS`, all of them. */
  readonly groups: readonly GroupTime[];
}

/** The idle time of a device, and what its gaps are like. */
export interface DeviceIdle extends IdleTime {
  /** Idle intervals. */
  readonly gapCount: number;
  readonly longestGapNs: number;
  /** Half of the idle time lies in gaps at least this long. */
  readonly halfAboveNs: number;
  /** Of `idleNs`, the part where another cause came almost as late as the one that is named. */
  readonly ambiguousNs: number;
  /** Of `idleNs`, the gaps that follow a call which waited for this device: its queue had run dry, so that the host could only be late. */
  readonly drainedNs: number;
}

/** The idle time of each device in one window. */
export interface WindowIdle {
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly complete: boolean;
  /** One a device, as in `devices`. */
  readonly devices: readonly IdleTime[];
}

/** What one cause was about. What does not apply is absent. */
export interface Reason {
  readonly cause: IdleCause;
  /** Of `unexplained`: what can be said of it. */
  readonly unexplained?: UnexplainedCause;
  /** The op or call that the host was in or came to next; the device op that ran or was waited for; of `unexplained` the op that waited. */
  readonly name?: string;
  /** The framework's op around the call that `name` is. */
  readonly inOp?: string;
  /** The innermost Python frame, where the trace has frames. */
  readonly python?: string;
}

/** All idle time of a device that has one reason. */
export interface IdleReason extends Reason {
  readonly device: number;
  readonly totalNs: number;
  /** Of the device's idle time, 0…1. */
  readonly share: number;
  /** Gaps that it is part of. */
  readonly gaps: number;
  /** Of its longest part: the event itself, and the op that ended the gap (absent behind the last op). */
  readonly longest: { readonly totalNs: number; readonly event?: EventReference; readonly endedBy?: EventReference };
}

/** Gaps that follow one synchronising call: while the host waited for the device it launched nothing, and then the device waited for it. */
export interface IdleDrain extends Omit<Reason, 'cause'> {
  readonly device: number;
  readonly gaps: number;
  /** The whole length of those gaps. */
  readonly totalNs: number;
  /** Of the device's idle time, 0…1. */
  readonly share: number;
  /** The call before the longest of them, and what it had waited for. */
  readonly longest: { readonly totalNs: number; readonly call: EventReference; readonly waitedFor: EventReference };
}

/** A part of a gap. */
export interface GapLink extends Reason {
  readonly totalNs: number;
  /** Whose time it is: of several stretches with this reason, the longest. */
  readonly event?: EventReference;
  /** Another cause came almost as late. */
  readonly ambiguous?: true;
}

/** A stretch of time in which no op of the device ran. */
export interface IdleGap {
  readonly rank: number;
  readonly device: number;
  /** The window in which it begins. */
  readonly window: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly totalNs: number;
  /** Of the device's idle time, 0…1. */
  readonly share: number;
  readonly place: 'between' | 'before-first-op' | 'after-last-op';
  /** The op of the device that ended last before it. */
  readonly after?: EventReference;
  /** The op of the device that began first behind it. */
  readonly endedBy?: EventReference;
  /** Why that op did not begin earlier, in order of time: the longest parts of the gap. */
  readonly chain: readonly GapLink[];
  /** What the gap holds beside `chain`; Σ `chain` + this = `totalNs`. */
  readonly otherNs: number;
  /** The call that waited for the device until the gap began, and for what. */
  readonly drainedBy?: { readonly call: EventReference; readonly waitedFor: EventReference };
  /** The command that tells the whole chain of causes. */
  readonly explain?: string;
}

/** Why the devices were idle. */
export interface IdleResult extends ScopeResult {
  /** Over all windows; one a device that has ops in the trace. */
  readonly devices: readonly DeviceIdle[];
  /** In order of time; they tile `window`. A gap that crosses their border is divided there. */
  readonly windows: readonly WindowIdle[];
  /** The longest first. */
  readonly reasons: readonly IdleReason[];
  /** The longest first. */
  readonly drains: readonly IdleDrain[];
  /** The longest first, at most 1,000 of them. */
  readonly gaps: readonly IdleGap[];
}
