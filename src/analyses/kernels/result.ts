import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/** What a device op is for. `other`: what is neither work nor transfer, by the user's `--rules` or because a writer puts it among its kernels. */
export type KernelClass = 'computation' | 'communication' | 'copy' | 'other';

/** How long the instances of a group take, each over its whole length, also where a window's border cuts it. Rounded to whole ns. */
export interface Durations {
  readonly minNs: number;
  /** Quantiles lie between two neighbours in proportion, as numpy and pandas have them. */
  readonly medianNs: number;
  readonly meanNs: number;
  readonly p95Ns: number;
  readonly maxNs: number;
  /** The sample standard deviation (over n − 1), as pandas has it; absent for a single instance. */
  readonly stddevNs?: number;
}

/** A group of device ops. */
interface Group extends Durations {
  /** Instances that run in the windows. */
  readonly count: number;
  /** Their time within the windows, each on its own: where two run at once, both count. */
  readonly totalNs: number;
  /** Of the time of all device ops (`opTimeNs`), 0…1: all rows together are 1. */
  readonly share: number;
  /** Time of the critical path that runs in them; ≤ `totalNs`. */
  readonly pathNs: number;
  /**
   * By how much one of them may grow before the last window's end moves: the least of its instances. Absent where that end depends on
   * none of them, and for a `--range`, whose end is fixed.
   */
  readonly slackNs?: number;
  /** The longest instance. */
  readonly largest: EventReference;
}

/** All device ops of one name. */
export interface KernelsRow extends Group {
  readonly name: string;
  readonly class: KernelClass;
  /** Devices on which it ran, ascending. */
  readonly devices: readonly number[];
  /** By window, in the order of `windows`: an instance counts where it ends, its time where it runs. */
  readonly perWindow: { readonly count: readonly number[]; readonly totalNs: readonly number[] };
}

/** A kernel by the operator that launched it, and what that was called with. */
export interface ShapeRow extends Group {
  readonly name: string;
  readonly class: KernelClass;
  /** The innermost operator around the launch call; absent where there is none, or where a graph launched it. */
  readonly op?: string;
  /** Its `Input Dims`, as written: a list as text. Absent where shapes were not recorded. */
  readonly inputDims?: string;
  /** Its `Input type`, as written. */
  readonly inputTypes?: string;
}

/** All device ops of one class. */
export interface ClassRow {
  readonly class: KernelClass;
  /** Names. */
  readonly kernels: number;
  readonly count: number;
  readonly totalNs: number;
  readonly share: number;
  readonly pathNs: number;
}

/** The device ops of the windows. */
export interface KernelsResult extends ScopeResult {
  readonly windows: readonly { readonly label: string; readonly startNs: number; readonly endNs: number }[];
  /** Device ops that run in the windows. */
  readonly count: number;
  /** The time of all of them, each on its own. */
  readonly opTimeNs: number;
  /** When at least one ran: the union over the streams of a device. */
  readonly devices: readonly { readonly device: number; readonly busyNs: number; readonly opTimeNs: number }[];
  /** Only those that have ops; most time first. */
  readonly classes: readonly ClassRow[];
  /** By name, most time first. */
  readonly rows: readonly KernelsRow[];
  /** By name, launching operator and its inputs, most time first. */
  readonly shapes: readonly ShapeRow[];
}
