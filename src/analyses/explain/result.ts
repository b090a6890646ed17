import type { ConstraintKind } from '../../graph/constraints.ts';
import type { Coverage } from '../../graph/coverage.ts';
import type { UnexplainedCause } from '../../graph/segments.ts';
import type { EventReference } from '../reference.ts';

/** An event, and where in the program it is: only for events of the host. */
export interface PlacedEvent extends EventReference {
  /** The innermost operator around it. */
  readonly op?: EventReference;
  /** The innermost Python frame of the user's own code at its start, else the innermost of all. */
  readonly python?: string;
}

/** What of an event is explained. The end of a host call is its return. */
export type MomentName = 'start' | 'end';

/** What a wait says of itself. Correlations are left out where the trace has none. */
export interface WaitDetail {
  /** Correlation of the call that waits. */
  readonly wait?: number;
  readonly waitCall?: EventReference;
  /** Correlation of the record that it waits for. */
  readonly record?: number;
  readonly recordCall?: EventReference;
  /** The stream that the record was made on: `s-0.20`. */
  readonly recordedOn?: string;
  /** The number that the runtime gave the event. */
  readonly cudaEventId?: number;
  /** The record through whose wait the source came to that stream, where it ran on another one. */
  readonly via?: number;
  /** How the record was found where the row's own could not be used. */
  readonly fallback?: 'earlier-record' | 'event-id';
}

/** What makes a cause a guess: the rule that found it, and what supports it. */
export interface Guess {
  readonly rule?: string;
  readonly support?: string;
}

/** What a stretch of time went into, by name. */
export interface RunPart {
  readonly name: string;
  /** Time between ops, not in one. `name` is then the Python frame, where the trace has one. */
  readonly gap?: true;
  readonly count: number;
  readonly totalNs: number;
  /** The longest of them; of a gap, the op that it came before. */
  readonly longest: EventReference;
}

/** Links of one kind in a row, told as one. */
export interface CollapsedRun {
  readonly links: number;
  /** Ops that began on the way, without the two that the link names. */
  readonly ops: number;
  readonly totalNs: number;
  /** The largest, descending. */
  readonly parts: readonly RunPart[];
}

/** Why a moment came when it did. The next link explains the source. */
export interface ChainLink extends Guess {
  readonly event: PlacedEvent;
  readonly moment: MomentName;
  readonly atNs: number;
  readonly boundBy: ConstraintKind;
  readonly source: PlacedEvent;
  readonly sourceMoment: MomentName;
  readonly sourceNs: number;
  /** How long a device op ran that is a source by its end. */
  readonly sourceRanNs?: number;
  /** From the source to the event; negative where two clocks disagree. Of a run: over all its links. */
  readonly lagNs: number;
  /** What such a lag costs when nothing is in the way; absent for runs and for the host's own course. */
  readonly typicalNs?: number;
  /** How much later it came than all else that it had to wait for would have let it. */
  readonly heldNs?: number;
  /** The part of the lag far beyond the typical. */
  readonly unexplainedNs?: number;
  readonly cause?: UnexplainedCause;
  /** Another constraint arrived within the typical lag of this one. */
  readonly ambiguous?: true;
  readonly wait?: WaitDetail;
  readonly run?: CollapsedRun;
}

/** Where a chain stops. */
export type ChainEnd =
  | { readonly kind: 'window-start'; readonly label: string }
  /** The host was not late yet: at that time the launched op had to wait for something else anyway. */
  | { readonly kind: 'in-time' }
  /** Nothing before it on its thread. */
  | { readonly kind: 'thread-start' }
  /** A device op without a launch in the trace. */
  | { readonly kind: 'before-capture' | 'no-launch' }
  | { readonly kind: 'limit' };

/** Causes, from the moment that is explained backwards. */
export interface Chain {
  readonly links: readonly ChainLink[];
  readonly end: ChainEnd;
}

/** What else the event had to wait for. */
export type Rival = ArrivedRival | IdleWait;

export interface ArrivedRival extends Guess {
  /** `inverted`: by the clock its source came after the event. */
  readonly status: 'arrived' | 'inverted';
  readonly moment: MomentName;
  readonly kind: ConstraintKind | 'own-length';
  readonly source: PlacedEvent;
  readonly sourceMoment: MomentName;
  readonly sourceNs: number;
  /** When it would have let the event come. */
  readonly arrivalNs: number;
  /** How much later it could have arrived. */
  readonly slackNs: number;
  readonly wait?: WaitDetail;
}

/** A wait that came to nothing. */
export interface IdleWait {
  readonly status: 'empty' | 'same-stream' | 'unresolved' | 'future';
  readonly moment: MomentName;
  readonly kind: ConstraintKind;
  readonly wait: WaitDetail;
}

/** A moment that came when it did because of the event. */
export interface Held extends Guess {
  readonly event: PlacedEvent;
  readonly moment: MomentName;
  readonly atNs: number;
  readonly boundBy: ConstraintKind;
  readonly sourceMoment: MomentName;
  readonly lagNs: number;
  readonly wait?: WaitDetail;
}

/** What a waiting or recording call stands for: one row a source. */
export interface CallEdge extends Guess {
  readonly role: 'wait' | 'record';
  readonly status: string;
  readonly binds: boolean;
  readonly wait: WaitDetail;
  readonly source?: EventReference;
  readonly sink?: EventReference;
}

export interface ExplainedEvent extends PlacedEvent {
  readonly kind: 'device-op' | 'host-op';
  readonly startNs: number;
  readonly endNs: number;
  /** The call that launched it. */
  readonly launch?: PlacedEvent & { readonly startNs: number; readonly endNs: number };
  /** The device ops that it launched. */
  readonly launched?: readonly EventReference[];
  /** The innermost user annotation around it, or around its launch, that is no step. */
  readonly annotation?: string;
  readonly step?: string;
  /** How much longer it could take before the window's end moves. Absent where the end does not depend on it. */
  readonly slackNs?: number;
  /** What `slackNs` is measured against: the default window. */
  readonly window?: string;
}

/** Why an event began when it did, and what else depended on it. */
export interface ExplainResult {
  readonly event: ExplainedEvent;
  /** The row that was asked about, where that is a synchronisation row: `event` is then what it stands for. */
  readonly asked?: EventReference;
  /** Why it began when it did. */
  readonly chain: readonly ChainLink[];
  readonly chainEnd: ChainEnd;
  /** Why it ended when it did: of calls that wait, and of device ops whose end another op held up. */
  readonly ended?: Chain;
  /** Ascending by slack. */
  readonly rivals: readonly Rival[];
  /** In order of time. */
  readonly holds: readonly Held[];
  /** Of a call that records or waits. */
  readonly edges?: readonly CallEdge[];
  readonly coverage: Coverage;
  readonly notes: readonly string[];
}
