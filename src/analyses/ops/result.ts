import type { FRAME_KINDS } from '../../graph/frames.ts';
import type { EventReference } from '../reference.ts';
import type { ScopeResult } from '../scope.ts';

/** One of `FRAME_KINDS`. */
/** What rows are told apart by. `shape`: ops by name, shapes and types of their inputs. */
export const OPS_BY = ['op', 'shape', 'module', 'python', 'annotation'] as const;
/** One of `OPS_BY`. */
export type OpsBy = (typeof OPS_BY)[number];
/** What rows are sorted by: host time without and with what is nested, device time launched, launches. */
export const OPS_SORTS = ['self', 'total', 'device', 'launches'] as const;
/** One of `OPS_SORTS`. */
export type OpsSort = (typeof OPS_SORTS)[number];
/** From the outermost callers down, or from each name up to its callers. */
export const OPS_TREES = ['top-down', 'bottom-up'] as const;
/** One of `OPS_TREES`. */
export type OpsTree = (typeof OPS_TREES)[number];

/** What `ops` can be asked with. */
export type FrameName = (typeof FRAME_KINDS)[number];

/**
 * All instances of one name. Host times are thread time: what of them lies in the windows, summed over threads. Device times are
 * of the device work that runs in the windows and that the name launched, wherever that call was.
 */
export interface OpsRow {
  readonly name: string;
  readonly kind: FrameName;
  /** With `by: 'shape'`: `Input Dims` and `Input type` as written; absent where they were not recorded. */
  readonly shapes?: string;
  readonly types?: string;
  /** Instances that ran in the windows. */
  readonly count: number;
  /** Without what is nested in it, of rows of the same sort: of an op without its ops and calls, of a module without its modules. */
  readonly selfNs: number;
  /** `selfNs` of the host time of all rows, 0…1. */
  readonly selfShare: number;
  /** With what is nested in it; an instance inside another of the same name counts once. */
  readonly totalNs: number;
  /** Device time that it or what is nested in it launched: the union of the runs on each device, summed over devices. */
  readonly deviceNs: number;
  /** The same as a plain sum of the runs. */
  readonly deviceSumNs: number;
  /** The part of `deviceSumNs` that no nested row of the same sort launched; calls hand theirs to the op around them. */
  readonly deviceSelfNs: number;
  /** Of its backward passes, by forward-backward links: thread time, device time (union, sum). Not in the fields above. */
  readonly backwardHostNs: number;
  readonly backwardDeviceNs: number;
  readonly backwardDeviceSumNs: number;
  /** Calls in the windows that enqueue device work, nested ones included. */
  readonly launches: number;
  /** The instance with the most time in the windows. */
  readonly longest: EventReference;
}

/** A node of the tree, in preorder: what comes behind it with a greater `depth` hangs below it. */
export interface TreeNode {
  /** 0 for a root. */
  readonly depth: number;
  readonly name: string;
  /** `mark`: a word of ours, such as `backward` over what the op above it caused in the backward pass. */
  readonly kind: FrameName | 'kernel' | 'mark';
  readonly count: number;
  /** Top-down: thread time in it and in nothing nested. Bottom-up: of the root's `selfNs`, the part that came this way. */
  readonly selfNs: number;
  /** Top-down: with all below it. Bottom-up: the same as `selfNs`. */
  readonly totalNs: number;
  /** Top-down: the union a device of the device work below it; absent bottom-up, where a union has no meaning. */
  readonly deviceNs?: number;
  readonly deviceSumNs: number;
  readonly launches: number;
  /** Its longest instance; absent for marks. */
  readonly longest?: EventReference;
}

/** The calls of all threads as a tree. */
export interface OpsTreeResult {
  readonly direction: OpsTree;
  /** Σ `selfNs` of all nodes: thread time in rows of any sort, without the time in which callers stood still for their workers' ops. */
  readonly hostNs: number;
  readonly waitedNs: number;
  /** Siblings by host time, then device time, descending. */
  readonly nodes: readonly TreeNode[];
  /** Nodes below this share of both the host time and the device time are left out. */
  readonly leastShare: number;
  /** How many. */
  readonly omitted: number;
}

/** A kernel sequence that instances of one op launched. */
export interface OpSequence {
  readonly op: string;
  /** Names in the order of their launch. */
  readonly kernels: readonly string[];
  readonly count: number;
  /** From the op's start to the start of its first launch call: mean. */
  readonly meanToLaunchNs: number;
  /** From the start of that call to the start of its first device op: mean. It may be below 0 where clocks disagree. */
  readonly meanToDeviceNs: number;
  /** Sum of the device runs, over all instances. */
  readonly deviceSumNs: number;
  /** The first instance. */
  readonly first: EventReference;
}

/** A stack with its weight, for flame graphs. */
export interface FoldedStack {
  /** From the outermost. */
  readonly frames: readonly string[];
  readonly weightNs: number;
}

/** The host ops of the windows. */
export interface OpsResult extends ScopeResult {
  readonly by: OpsBy;
  readonly sort: OpsSort;
  /** Thread time in rows of this sort, summed over threads: Σ `selfNs` of all rows. */
  readonly hostNs: number;
  /** Threads that it is summed over. */
  readonly threads: number;
  /** Device work that runs in the windows: the union on each device, summed over devices; and the sum of the runs. */
  readonly deviceNs: number;
  readonly deviceSumNs: number;
  /**
   * Of `deviceSumNs`: what no call of the trace launched; what was launched outside of all rows of this sort; and what only the
   * backward passes of rows launched. With Σ `deviceSelfNs` of all rows they are all of it.
   */
  readonly unlaunchedNs: number;
  readonly outsideNs: number;
  readonly backwardOnlyNs: number;
  /** Calls in the windows that enqueue device work. */
  readonly launches: number;
  /** Backward ops that a link joins to their forward op, and those that none does. */
  readonly backward: { readonly linked: number; readonly unlinked: number };
  readonly rows: readonly OpsRow[];
  readonly tree?: OpsTreeResult;
  readonly sequences?: readonly OpSequence[];
  readonly folded?: readonly FoldedStack[];
}
