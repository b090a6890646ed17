import type { Diagnostic } from '../../trace/diagnostics.ts';

/** A `ProfilerStep` annotation of the host. */
export interface InfoStep {
  readonly label: string;
  /** The annotation's own start and end, in ns since the trace's origin. */
  readonly startNs: number;
  readonly endNs: number;
  /** When the last device op launched in the step, or in one before it, had ended. */
  readonly completionNs: number;
  /** False for warm-up, cut-off and lossy steps: `ARCHITECTURE.md`, "Windows". */
  readonly complete: boolean;
}

/** What the trace of one rank holds. */
export interface InfoRank {
  readonly file: string;
  readonly rank?: number;
  /** Ranks of the job. */
  readonly worldSize?: number;
  readonly originUnixNs: string;
  /** From the earliest to the latest moment of host and device work, and of the host's annotations. */
  readonly spanNs: number;
  /** Every whole row read, damaged ones included. */
  readonly events: number;
  readonly byPhase: Readonly<Record<string, number>>;
  readonly categories: Readonly<Record<string, number>>;
  /** By the numbers that rows name them by. */
  readonly devices: readonly { readonly id: number; readonly name?: string }[];
  /** Lanes with device work. */
  readonly streams: number;
  /** Threads with host ops. */
  readonly threads: number;
  readonly steps: readonly InfoStep[];
  /** What a reader should know before trusting answers: no sync rows, launches without device rows, and the like. */
  readonly notes: readonly string[];
}

/** What is in the file, and its damage. */
export interface InfoResult {
  readonly ranks: readonly InfoRank[];
  readonly diagnostics: readonly (Diagnostic & { readonly file: string })[];
}
