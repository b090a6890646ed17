import { copyName } from './call-names.ts';
import { mix } from './draws.ts';
import { KinetoClock } from './kineto-clock.ts';
import { type KinetoOptions, writtenCorrelation } from './kineto-options.ts';
import type { Action, CollectiveAction, Group, Job, TransferAction } from './program.ts';
import { type RowPlan, losesEventId } from './row-plan.ts';
import { ItemKind, type RankTruth, type TrueRecord } from './truth.ts';

const CBID: Readonly<Record<string, number>> = {
  cudaLaunchKernel: 211,
  cudaLaunchKernelExC: 430,
  cudaMemcpy: 31,
  cudaMemcpyAsync: 41,
  cudaMemsetAsync: 51,
  cudaGraphLaunch: 311,
  cudaEventRecord: 135,
  cudaStreamWaitEvent: 147,
  cudaEventSynchronize: 137,
  cudaStreamSynchronize: 131,
  cudaDeviceSynchronize: 165,
  cudaEventQuery: 138,
  cudaMalloc: 20,
  cudaFree: 22,
};

const SYNC_NAMES = {
  'stream-wait': 'Stream Wait Event',
  'event-sync': 'Event Sync',
  'stream-sync': 'Stream Sync',
  'device-sync': 'Context Sync',
  query: 'Event Sync',
  'copy-sync': 'Stream Sync',
  'implicit-sync': 'Context Sync',
} as const;

const HIP_NAMES: Readonly<Record<string, string>> = {
  cudaLaunchKernelExC: 'hipExtLaunchKernel',
  cudaMemcpy: 'hipMemcpyWithStream',
};

/** The rows of a rank as JSON texts. */
export class KinetoRows {
  readonly clock: KinetoClock;
  readonly #deviceClock: KinetoClock;
  readonly pid: number;
  readonly #truth: RankTruth;
  readonly #options: KinetoOptions;
  readonly #plan: RowPlan;
  readonly #groups: ReadonlyMap<string, Group>;
  /** By row of `names`: as JSON text. */
  readonly #names: readonly string[];
  readonly #frames: { readonly id: Int32Array; readonly parent: Int32Array };
  readonly #hostScheme: readonly string[];
  /** By op that carries the args of a collective: which call of its group it was. */
  readonly #commSequence: ReadonlyMap<number, number>;
  readonly #recordOfCall: ReadonlyMap<number, TrueRecord>;
  /** The graph launch whose nodes are being written, and its first one. */
  #graphCall = -1;
  #firstNode = -1;

  constructor(job: Job, truth: RankTruth, options: KinetoOptions, plan: RowPlan) {
    this.clock = new KinetoClock(options, job.ranks[truth.rank].clock, 'host');
    this.#deviceClock = new KinetoClock(options, job.ranks[truth.rank].clock, 'device');
    this.pid = 4_000 + truth.rank;
    this.#truth = truth;
    this.#options = options;
    this.#plan = plan;
    this.#groups = new Map(job.groups.map((group) => [group.name, group]));
    this.#names = truth.names.map((name) => JSON.stringify(options.vendor === 'hip' ? hipName(name) : name));
    this.#frames = pythonFrames(truth);
    this.#commSequence = commSequences(truth);
    this.#recordOfCall = new Map(truth.records.map((record) => [record.call, record]));
    this.#hostScheme = truth.names.map((name) => (/^cu[A-Z]/.test(name) ? 'cuda_driver' : 'cuda_runtime'));
  }

  #id(item: number): number {
    return writtenCorrelation(this.#truth.items.correlation[item], this.#options);
  }

  /** The thread's tid: that of the main thread is the process's. */
  tid(thread: number): number {
    return this.pid + 100 * thread;
  }

  item(item: number): string {
    const { items } = this.#truth;
    const kind = items.kind[item];
    if (kind === ItemKind.device) return this.#device(item);
    const args = this.#hostArgs(item, kind);
    const cat = kind === ItemKind.call ? this.#hostScheme[items.name[item]] : HOST_CATEGORIES[kind];
    const span = this.clock.span(items.start[item], items.end[item]);
    return `{"ph":"X","cat":"${cat}","name":${this.#names[items.name[item]]},"pid":${this.pid},"tid":${this.tid(items.track[item])},${span},"args":{${args}}}`;
  }

  #hostArgs(item: number, kind: ItemKind): string {
    const { items, sequence, names, actions } = this.#truth;
    switch (kind) {
      case ItemKind.call: {
        const name = names[items.name[item]];
        return `"External id":${externalId(items.parent[item], this.#id(item))},"cbid":${CBID[name] ?? 0},"correlation":${this.#id(item)}`;
      }
      case ItemKind.frame: {
        const { id, parent } = this.#frames;
        return `"Python parent id":${parent[item] === 0 ? 'null' : parent[item]},"Python id":${id[item]},"Ev Idx":${this.#plan.positionOf[item]}`;
      }
      default: {
        const action = actions[item];
        let args = `"External id":${externalId(item, 0)},"Record function id":0`;
        if (sequence[item] !== -1) {
          const isBackward = action?.kind === 'op' && action.isBackward === true;
          args += `,"Sequence number":${sequence[item]},"Fwd thread id":${isBackward ? 1 : 0}`;
        }
        if (action?.kind === 'op' && action.comm !== undefined && this.#options.collectiveArgs !== 'none') {
          args += `,${action.comm === 'wait' ? WAIT_ARGS : this.#commArgs(action.comm, this.#commSequence.get(item) ?? -1)}`;
        }
        return `${args},"Ev Idx":${this.#plan.positionOf[item]}`;
      }
    }
  }

  #device(item: number): string {
    const { items, lanes, actions } = this.#truth;
    const { device, stream } = lanes[items.track[item]];
    const action = actions[item];
    const call = items.parent[item];
    const correlation = this.#id(item);
    const external = externalId(items.parent[call], correlation);
    const where = `"External id":${external},"device":${device},"context":${device + 1},"stream":${stream},"correlation":${correlation}`;
    const span = this.#deviceClock.span(items.start[item], items.end[item]);
    const more = this.#workArgs(item, action);
    return `{"ph":"X","cat":"${deviceCategory(action)}","name":${this.#names[items.name[item]]},"pid":${device},"tid":${stream},${span},"args":{${where}${more}}}`;
  }

  #workArgs(item: number, action: Action | undefined): string {
    const { items, meeting, meetings } = this.#truth;
    switch (action?.kind) {
      case 'copy':
      case 'fill': {
        const rate = action.bytes / Math.max(1, items.end[item] - items.start[item]);
        return `,"bytes":${action.bytes},"memory bandwidth (GB/s)":${rate.toFixed(6)}`;
      }
      case 'collective':
      case 'send':
      case 'receive': {
        if (this.#options.collectiveArgs !== 'all') return KERNEL_SHAPE;
        const sequence = meeting[item] === -1 ? -1 : meetings[meeting[item]].sequence;
        return `${KERNEL_SHAPE},${this.#commArgs(action, sequence)}`;
      }
      case 'graph':
        if (items.parent[item] !== this.#graphCall) this.#firstNode = item;
        this.#graphCall = items.parent[item];
        return `${KERNEL_SHAPE},"graph id":${action.graphId ?? 1},"graph node id":${item - this.#firstNode + 1}`;
      default:
        return KERNEL_SHAPE;
    }
  }

  #commArgs(action: CollectiveAction | TransferAction, sequence: number): string {
    const group = this.#groups.get(action.group);
    const ranks = group?.ranks ?? [];
    const shown = ranks.length > 30 ? `[${ranks.slice(0, 30).join(', ')}, ...]` : `[${ranks.join(', ')}]`;
    const name = action.kind === 'collective' ? COLLECTIVE_ARG[action.op] : action.kind === 'send' ? 'send' : 'recv';
    const peers =
      action.kind === 'collective' ? '' : `,"${action.kind === 'send' ? 'Dst' : 'Src'} Rank":${action.peer}`;
    const place = this.#options.collectiveRank ? `,"Rank":${ranks.indexOf(this.#rankArg(action, ranks))}` : '';
    const seq =
      sequence === -1 || !this.#options.collectiveSequence
        ? ''
        : `,"Seq":${sequence + 1},"Comms Id":${commsId(action.group)}`;
    return `"Collective name":"${name}","In msg nelems":${action.elements},"Out msg nelems":${action.elements},"Group size":${ranks.length},"dtype":"${action.dtype}","In split size":"[]","Out split size":"[]","Process Group Name":${JSON.stringify(action.group)},"Process Group Description":${JSON.stringify(group?.description ?? '')},"Process Group Ranks":"${shown}"${peers}${place}${seq}`;
  }

  /** The rank that `Rank` is about. */
  #rankArg(action: CollectiveAction | TransferAction, ranks: readonly number[]): number {
    if (action.kind !== 'collective') return action.peer;
    return ROOTED.has(action.op) ? (action.root ?? ranks[0]) : this.#truth.rank;
  }

  sync(index: number): string {
    const { syncs, items, lanes } = this.#truth;
    const sync = syncs[index];
    const { generation } = this.#options;
    const name = SYNC_NAMES[sync.kind];
    const correlation = this.#id(sync.call);
    const device = sync.device === -1 ? (lanes[0]?.device ?? 0) : sync.device;
    const noStream = generation === 'early-2023' ? 4_294_967_295 : -1;
    const stream = sync.stream === -1 ? noStream : sync.stream;
    const tid = generation === '2026' && sync.kind === 'stream-sync' ? sync.stream + 1_000_000 : sync.stream;
    let waits = '';
    if (sync.event !== -1) {
      const named = this.#plan.namedRecord[index];
      const record = this.#recordOfCall.get(named);
      const isLost = this.#plan.syncFate[index] === 'ids-lost';
      const event = isLost && losesEventId(this.#options, index) ? -1 : sync.event;
      const corr = named === -1 ? -1 : this.#id(named);
      const id = generation === 'early-2023' ? '' : `"wait_on_cuda_event_record_corr_id":${corr},`;
      waits = `"wait_on_stream":${record?.stream ?? -1},${id}"wait_on_cuda_event_id":${event},`;
    }
    const start = items.start[sync.call];
    const end = items.end[sync.call];
    const inset = Math.min(300, Math.floor((end - start) / 4));
    const span = this.clock.span(start + inset, end - inset);
    return `{"ph":"X","cat":"cuda_sync","name":"${name}","pid":${device},"tid":${tid},${span},"args":{"External id":${correlation},"cuda_sync_kind":"${name}",${waits}"stream":${stream},"correlation":${correlation},"device":${device},"context":${device + 1}}}`;
  }

  record(index: number): string {
    const { records, items } = this.#truth;
    const { call, event, device, stream, sources } = records[index];
    // A record happens once what it captured is over.
    let time = items.start[call] + 100;
    for (const source of sources) time = Math.max(time, items.end[source]);
    const ts = this.#options.recordRows === 'zero-time' ? '0' : this.#deviceClock.instant(time);
    const dur = this.#options.resolution === 'us' ? '0' : '0.001';
    return `{"ph":"X","cat":"cuda_event","name":"cudaEvent","pid":${device},"tid":${stream},"ts":${ts},"dur":${dur},"args":{"event_id":${event},"stream":${stream},"correlation":${this.#id(call)},"device":${device},"context":${device + 1}}}`;
  }

  flowStart(call: number): string {
    const { items } = this.#truth;
    return `{"ph":"s","id":${this.#id(call)},"pid":${this.pid},"tid":${this.tid(items.track[call])},"ts":${this.clock.instant(items.start[call])},"cat":"ac2g","name":"ac2g"}`;
  }

  flowEnd(item: number): string {
    const { items, lanes } = this.#truth;
    const { device, stream } = lanes[items.track[item]];
    return `{"ph":"f","id":${this.#id(item)},"pid":${device},"tid":${stream},"ts":${this.#deviceClock.instant(items.start[item])},"cat":"ac2g","name":"ac2g","bp":"e"}`;
  }

  backwardFlow(phase: 's' | 'f', id: number, item: number): string {
    const { items } = this.#truth;
    const bind = phase === 'f' ? ',"bp":"e"' : '';
    return `{"ph":"${phase}","id":${id},"pid":${this.pid},"tid":${this.tid(items.track[item])},"ts":${this.clock.instant(items.start[item])},"cat":"fwdbwd","name":"fwdbwd"${bind}}`;
  }

  gpuAnnotation(annotation: number, lane: number, start: number, end: number): string {
    const { items, lanes } = this.#truth;
    const { device, stream } = lanes[lane];
    const name = this.#names[items.name[annotation]];
    return `{"ph":"X","cat":"gpu_user_annotation","name":${name},"pid":${device},"tid":${stream},${this.#deviceClock.span(start, end)},"args":{"External id":${externalId(annotation, 0)}}}`;
  }
}

const HOST_CATEGORIES: Readonly<Record<number, string>> = {
  [ItemKind.op]: 'cpu_op',
  [ItemKind.annotation]: 'user_annotation',
  [ItemKind.frame]: 'python_function',
};

const KERNEL_SHAPE =
  ',"queued":0,"registers per thread":32,"shared memory":0,"blocks per SM":4.0,"warps per SM":32.0,"grid":[432,1,1],"block":[256,1,1],"est. achieved occupancy %":50';

const ROOTED: ReadonlySet<string> = new Set(['broadcast', 'reduce', 'scatter', 'gather']);

const COLLECTIVE_ARG = {
  allreduce: 'allreduce',
  allgather: '_allgather_base',
  reduce_scatter: '_reduce_scatter_base',
  all_to_all: 'all_to_allv',
  barrier: 'barrier',
  broadcast: 'broadcast',
  reduce: 'reduce',
  scatter: 'scatter',
  gather: 'gather',
} as const;

/** Of a call: that of the op around it; without one, the vendor's library writes the row's own id. */
const externalId = (op: number, correlation: number): number => (op === -1 ? correlation : op + 1);

function deviceCategory(action: Action | undefined): string {
  if (action?.kind === 'copy') return 'gpu_memcpy';
  return action?.kind === 'fill' ? 'gpu_memset' : 'kernel';
}

function hipName(name: string): string {
  if (name === copyName('HtoD', 'pageable')) return 'Memcpy HtoD (Host -> Device)';
  return HIP_NAMES[name] ?? name.replace(/^cuda(?=[A-Z])/, 'hip').replace(/^cu(?=[A-Z])/, 'hip');
}

const WAIT_ARGS =
  '"Collective name":"wait","dtype":"Byte","In msg nelems":0,"Out msg nelems":0,"In split size":"[]","Out split size":"[]","Group size":1,"Process Group Ranks":"[]"';

/** A number of 64 bits, the same on all ranks of a group. */
function commsId(group: string): string {
  let hash = 1;
  for (let i = 0; i < group.length; i++) hash = mix(hash, group.charCodeAt(i));
  return String((BigInt(hash) << 32n) | BigInt(mix(hash, 1)));
}

function commSequences({ items, actions, meeting, meetings }: RankTruth): Map<number, number> {
  const found = new Map<number, number>();
  for (let item = 0; item < items.length; item++) {
    if (meeting[item] === -1) continue;
    const { sequence } = meetings[meeting[item]];
    for (let op = items.parent[items.parent[item]]; op !== -1; op = items.parent[op]) {
      const action = actions[op];
      if (action?.kind !== 'op' || action.comm === undefined) continue;
      found.set(op, sequence);
      break;
    }
  }
  return found;
}

/** Numbers of Python frames, and of the frames around them; 0 where there is none. */
function pythonFrames({ items }: RankTruth): { id: Int32Array; parent: Int32Array } {
  const id = new Int32Array(items.length);
  const parent = new Int32Array(items.length);
  const open = new Map<number, number[]>();
  let count = 0;
  for (let item = 0; item < items.length; item++) {
    if (items.kind[item] !== ItemKind.frame) continue;
    id[item] = ++count;
    const stack = open.get(items.track[item]) ?? [];
    open.set(items.track[item], stack);
    while (stack.length > 0 && items.end[stack[stack.length - 1]] < items.end[item]) stack.pop();
    parent[item] = stack.length > 0 ? id[stack[stack.length - 1]] : 0;
    stack.push(item);
  }
  return { id, parent };
}
