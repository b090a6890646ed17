// The language of simulated GPU jobs: plain data, so that a program can be changed, shrunk, printed and kept. All lengths are
// nanoseconds. What a program leaves out is taken from the job's `Costs`.

/** A stream of a device. */
export interface Place {
  readonly device: number;
  readonly stream: number;
}

export interface Job {
  readonly name: string;
  /** What happens in it and why it is slow, in one line. */
  readonly story: string;
  readonly seed: number;
  readonly costs: Costs;
  /** Process groups; ranks meet only in these. */
  readonly groups: readonly Group[];
  /** By rank. Ranks may share one program: what differs between them is in `ns` by rank, and in scales. */
  readonly ranks: readonly RankProgram[];
}

export interface Group {
  readonly name: string;
  readonly description: string;
  /** Members, ascending. */
  readonly ranks: readonly number[];
}

export interface RankProgram {
  /** The first is the main thread. Threads whose `body` is empty only work where another forks. */
  readonly threads: readonly HostThread[];
  /** How its clock differs from the true one. */
  readonly clock?: Clock;
  /** Host work takes this many times as long; 1 by default. */
  readonly hostScale?: number;
  /** Kernels, copies and fills (not collectives) take this many times as long; 1 by default. */
  readonly deviceScale?: number;
  /** The legacy default stream of each device (rule 6): its work waits for all other streams, and theirs for it. */
  readonly legacyStream?: number;
}

export interface Clock {
  /** The rank's clock minus true time at true time 0, ns. */
  readonly offsetNs: number;
  /** How much faster it runs, in parts per million. */
  readonly driftPpm: number;
  /** What device rows show later than host rows of the same moment; 0 by default. Below 0 kernels seem to start before their launch. */
  readonly deviceOffsetNs?: number;
}

export interface HostThread {
  readonly name: string;
  readonly body: readonly Action[];
  /** True time at which the thread begins, ns. */
  readonly startNs?: number;
}

/** What a thread does next. Actions of a thread run one after the other. */
export type Action =
  | OpAction
  | LabelAction
  | { readonly kind: 'sleep'; readonly ns: number }
  | { readonly kind: 'skip' }
  | RepeatAction
  | LaunchAction
  | CopyAction
  | FillAction
  | GraphAction
  | CollectiveAction
  | TransferAction
  | RecordAction
  | WaitAction
  | SyncAction
  | PollAction
  | AllocateAction
  | CaptureAction
  /** Gives a thread work; it begins once that thread has done what it was given before. */
  | { readonly kind: 'fork'; readonly thread: number; readonly body: readonly Action[] }
  /** Waits until a thread has done all that it was given. */
  | { readonly kind: 'join'; readonly thread: number };

export interface RepeatAction {
  readonly kind: 'repeat';
  readonly times: number;
  readonly body: readonly Action[];
  /** Passes that do something else, by their number from 0. What is at the same place draws the same numbers. */
  readonly otherPasses?: readonly { readonly pass: number; readonly body: readonly Action[] }[];
}

/** A framework op (`cpu_op`): `beforeNs`, then the body with `betweenNs` between any two actions, then `afterNs`. */
export interface OpAction {
  readonly kind: 'op';
  readonly name: string;
  readonly beforeNs: number;
  readonly betweenNs?: number;
  readonly afterNs?: number;
  readonly body?: readonly Action[];
  /** Ties a backward op to the forward op of the same number: written as `Sequence number`. */
  readonly sequence?: number;
  readonly isBackward?: boolean;
  /** Makes the row carry the args of a collective, or those of PyTorch's `wait` for one. */
  readonly comm?: CollectiveAction | TransferAction | 'wait';
  /** Of the length of its own host work, for what-if; 1 by default. */
  readonly scale?: number;
}

/** Only a label: takes no time of its own. `{i}` in the name becomes the pass of the outermost `repeat`. */
export interface LabelAction {
  readonly kind: 'annotation' | 'frame';
  readonly name: string;
  readonly body: readonly Action[];
}

interface Call {
  /** How long the call takes when nothing holds it, ns. */
  readonly callNs?: number;
  /** The call's name in CUDA's spelling. */
  readonly api?: string;
}

interface DeviceWork extends Call {
  readonly on: Place;
  readonly name: string;
  readonly ns: number;
  /** Of the device time, for what-if; 1 by default. */
  readonly scale?: number;
}

export interface LaunchAction extends DeviceWork {
  readonly kind: 'launch';
  /**
   * Programmatic dependent launch: may start `triggerNs` after the start of the op before it on its stream (a part of that one's
   * length, scaled with it), and ends at least `tailNs` (a part of its own) after that one's end.
   */
  readonly dependent?: { readonly triggerNs: number; readonly tailNs: number };
}

/** `blocking`: `cudaMemcpy`. A pageable copy to the host and a blocking copy that is not pageable hold their call. */
export interface CopyAction extends Call {
  readonly kind: 'copy';
  readonly on: Place;
  readonly direction: 'HtoD' | 'DtoH' | 'DtoD';
  readonly memory: 'pageable' | 'pinned';
  readonly isBlocking?: boolean;
  readonly bytes: number;
  readonly ns: number;
  readonly scale?: number;
}

export interface FillAction extends Call {
  readonly kind: 'fill';
  readonly on: Place;
  readonly bytes: number;
  readonly ns: number;
  readonly scale?: number;
}

/** Replays a captured graph. */
export interface GraphAction extends Call {
  readonly kind: 'graph';
  readonly on: Place;
  readonly graphId?: number;
  readonly nodes: readonly GraphNode[];
  readonly scale?: number;
}

export interface GraphNode {
  readonly name: string;
  readonly ns: number;
  /** Places in `nodes`, all smaller than its own. */
  readonly after: readonly number[];
  /** The stream that it is reported on; that of the launch by default. Branches must not share one with other launch streams. */
  readonly stream?: number;
}

export type CollectiveOp =
  | 'allreduce'
  | 'allgather'
  | 'reduce_scatter'
  | 'all_to_all'
  | 'barrier'
  | 'broadcast'
  | 'reduce'
  | 'scatter'
  | 'gather';

/** All members of `group` make the same calls in the same order. */
export interface CollectiveAction extends Call {
  readonly kind: 'collective';
  readonly op: CollectiveOp;
  readonly group: string;
  readonly on: Place;
  readonly name: string;
  /** From the last arrival to the end; a list is by member of the group. */
  readonly ns: number | readonly number[];
  /** What member n of a ring ends later than the first: n × this. */
  readonly tailNs?: number;
  /** Of a rooted one: a rank, not a place in the group. */
  readonly root?: number;
  readonly elements: number;
  readonly dtype: string;
  readonly scale?: number;
}

/** One end of a transfer between two ranks. The nth send from a to b in a group meets the nth receive. */
export interface TransferAction extends Call {
  readonly kind: 'send' | 'receive';
  readonly group: string;
  readonly on: Place;
  readonly name: string;
  readonly peer: number;
  readonly ns: number;
  /** A small send ends without waiting for its receiver. */
  readonly isEager?: boolean;
  readonly elements: number;
  readonly dtype: string;
  readonly scale?: number;
}

export interface RecordAction extends Call {
  readonly kind: 'record';
  /** A handle of the process. An event belongs to one device. */
  readonly event: number;
  readonly on: Place;
}

export interface WaitAction extends Call {
  readonly kind: 'wait';
  readonly event: number;
  readonly on: Place;
}

export type SyncAction =
  | (Call & { readonly kind: 'event-sync'; readonly event: number })
  | (Call & { readonly kind: 'stream-sync'; readonly on: Place })
  | (Call & { readonly kind: 'device-sync'; readonly device: number });

/** Asks whether an event is done: once, or again and again with a pause of `everyNs` until it is. */
export interface PollAction extends Call {
  readonly kind: 'query' | 'poll';
  readonly event: number;
  readonly everyNs?: number;
}

/** From `capture-begin` to `capture-end` the thread's launches, copies, records and waits only draw a graph: nothing runs. */
export interface CaptureAction extends Call {
  readonly kind: 'capture-begin' | 'capture-end';
  readonly on: Place;
}

/** `cudaMalloc`, `cudaFree`: waits for the whole device where `waits`, and no row says so. */
export interface AllocateAction extends Call {
  readonly kind: 'allocate';
  readonly device: number;
  readonly waits: boolean;
}

/** Lengths in ns of what costs the same everywhere, and how much they vary. */
export interface Costs {
  /** From the start of a launch call to the earliest start of its op. */
  readonly launchNs: number;
  /** Between two ops of a stream. */
  readonly streamGapNs: number;
  /** From the end of what an event stands for to the earliest start of the op that waits. */
  readonly eventWaitNs: number;
  /** Between two nodes of a graph. */
  readonly graphGapNs: number;
  /** From the end of device work to the return of a call that waits for it. */
  readonly syncReturnNs: number;
  /** From a caller to its worker and back. */
  readonly forkNs: number;
  readonly joinNs: number;
  /** Lengths of calls that nothing holds. */
  readonly callNs: {
    readonly launch: number;
    readonly graph: number;
    readonly copy: number;
    readonly record: number;
    readonly wait: number;
    readonly sync: number;
    readonly query: number;
    readonly allocate: number;
  };
  /** A call takes its id when it begins, and its place on the stream so much later at most (drawn): two threads may race. */
  readonly enqueueNs: number;
  /** Launches that a stream takes before a call blocks. */
  readonly queueLength: number;
  /** Shares by which lengths vary up and down: 0 repeats every number exactly. */
  readonly hostJitter: number;
  readonly deviceJitter: number;
  /** Of launch, stream, wait and return latencies. */
  readonly latencyJitter: number;
}

export const EXACT_COSTS: Costs = {
  launchNs: 6_000,
  streamGapNs: 1_000,
  eventWaitNs: 1_500,
  graphGapNs: 800,
  syncReturnNs: 2_000,
  forkNs: 8_000,
  joinNs: 10_000,
  callNs: {
    launch: 4_000,
    graph: 9_000,
    copy: 5_000,
    record: 1_200,
    wait: 900,
    sync: 1_500,
    query: 800,
    allocate: 20_000,
  },
  enqueueNs: 0,
  queueLength: 1_024,
  hostJitter: 0,
  deviceJitter: 0,
  latencyJitter: 0,
};

/** What a busy machine looks like. */
export const NOISY_COSTS: Costs = { ...EXACT_COSTS, hostJitter: 0.3, deviceJitter: 0.03, latencyJitter: 0.25 };
