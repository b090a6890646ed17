import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/** What annotations put on the devices: by launch, and what of it runs in the windows, also where the annotation lies before them. */
export interface LaunchedWork {
  /** Device ops whose launch call begins inside. */
  readonly ops: number;
  /** Those of them that a backward thread launched while the annotation's own thread waited for it. */
  readonly workerOps: number;
  /** Their time, each on its own. */
  readonly opTimeNs: number;
  /** When at least one of them ran: the union over the streams of a device. Only devices on which one ran. */
  readonly devices: readonly { readonly device: number; readonly busyNs: number }[];
}

/** Where the profiler drew an annotation on a device (`gpu_user_annotation`): a label from the first to the last op of it, no work. */
export interface DrawnSpan {
  readonly device: number;
  /** One for each stream, and for each instance. */
  readonly rows: number;
  /** Their union over the streams, in the windows. */
  readonly spanNs: number;
}

/** All instances of one name. */
export interface AnnotationsRow {
  readonly name: string;
  /** Instances on the host that run in the windows; 0 where only the device has it: `launched` before, or `drawn`. */
  readonly count: number;
  /** Threads that have instances. */
  readonly threads: number;
  /** Host time in the windows: the union on each thread, so that one inside another of the same name does not count twice; summed over threads. */
  readonly totalNs: number;
  /** What of it lies in no annotation inside. */
  readonly selfNs: number;
  /** When at least one thread was in it (the union over the threads), of the windows' length, 0…1. */
  readonly share: number;
  /** Time of the path inside: on its threads and on backward threads that they waited for, and the runs of device ops that it launched. */
  readonly pathNs: number;
  readonly launched: LaunchedWork;
  /** By device, where the trace has rows of it there. */
  readonly drawn: readonly DrawnSpan[];
  /** How long the host's instances take, each over its whole length. Absent without any. */
  readonly durations?: InstanceDurations;
  readonly longest?: EventReference;
}

/** Rounded to whole ns; quantiles lie between two neighbours in proportion. */
export interface InstanceDurations {
  readonly minNs: number;
  readonly medianNs: number;
  readonly meanNs: number;
  readonly p95Ns: number;
  readonly maxNs: number;
  /** The sample standard deviation (over n − 1); absent for a single instance. */
  readonly stddevNs?: number;
}

/** One annotation on the host, over its whole length; `launched` is what runs in the windows, as above. */
export interface AnnotationInstance {
  readonly event: EventReference;
  readonly startNs: number;
  readonly durNs: number;
  readonly launched: LaunchedWork;
  /** From the first start to the last end of what it launched, over the whole trace; absent where it launched nothing. */
  readonly deviceStartNs?: number;
  readonly deviceEndNs?: number;
  /** The profiler's own rows of this instance (of the same `External id`); absent where there are none. */
  readonly drawn?: readonly DrawnSpan[];
}

export interface AnnotationsResult extends ScopeResult {
  /** By name, most host time first. */
  readonly rows: readonly AnnotationsRow[];
  /** Those on the host in the windows, longest first. */
  readonly instances: readonly AnnotationInstance[];
  /** Device ops of the windows that no annotation launched. */
  readonly outside: { readonly ops: number; readonly opTimeNs: number };
}
