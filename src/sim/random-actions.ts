import type { Random } from './draws.ts';
import type { Action, CollectiveAction, GraphNode, Place } from './program.ts';

/** What the actions of one program may be about. */
export interface MakerContext {
  readonly streams: readonly Place[];
  /** The process group of all ranks, or none. */
  readonly group: string | undefined;
  readonly rankCount: number;
  /** The thread that backward passes run on. */
  readonly worker: number | undefined;
  readonly polls: boolean;
  readonly graphs: boolean;
  readonly dependentLaunches: boolean;
  readonly implicitSyncs: boolean;
  readonly captures: boolean;
}

const OPS = ['aten::linear', 'aten::mm', 'aten::add', 'aten::relu', 'aten::copy_', 'aten::to', 'aten::layer_norm'];
const KERNELS = [
  'ampere_sgemm_128x64_tn',
  'elementwise_kernel',
  'reduce_kernel',
  'layer_norm_kernel',
  'softmax_kernel',
];
const LAUNCH_APIS = [
  'cudaLaunchKernel',
  'cudaLaunchKernel',
  'cudaLaunchKernelExC',
  'cuLaunchKernel',
  'cuLaunchKernelEx',
];
/** Events 0–9 are of device 0, 10–19 of device 1. */
const EVENTS_A_DEVICE = 4;
const GRAPH_STREAM = 200;

/** Makes the actions of one random program. */
export class ActionMaker {
  readonly #random: Random;
  readonly #context: MakerContext;
  readonly #recorded: number[] = [];
  #sequence = 0;
  #graphs = 0;
  /** Collectives are only called where all ranks call in the same order: by the main thread. */
  #isMain = true;

  constructor(random: Random, context: MakerContext) {
    this.#random = random;
    this.#context = context;
  }

  /** A list of about `size` rows. */
  list(size: number, depth: number): readonly Action[] {
    const actions: Action[] = [];
    let rows = 0;
    while (rows < size) {
      const made = this.#some(size - rows, depth);
      actions.push(...made);
      rows += countRows(made);
    }
    return actions;
  }

  threadList(size: number): readonly Action[] {
    this.#isMain = false;
    const list = this.list(size, 0);
    this.#isMain = true;
    return list;
  }

  /** A thread that asks again and again. */
  watchdog(queries: number): readonly Action[] {
    return Array.from({ length: queries }, (): Action[] => [
      this.sleep(),
      { kind: 'query', event: this.#known() },
    ]).flat();
  }

  deviceSync(): Action {
    return { kind: 'device-sync', device: this.#random.pick(this.#context.streams).device };
  }

  sleep(): Action {
    return { kind: 'sleep', ns: this.#random.chance(0.15) ? this.#ns(20_000, 120_000) : this.#ns(200, 8_000) };
  }

  #ns(low: number, high: number): number {
    return this.#random.from(low, high);
  }

  #place(): Place {
    return this.#random.pick(this.#context.streams);
  }

  #event(device = this.#place().device): number {
    return 10 * device + 1 + this.#random.below(EVENTS_A_DEVICE);
  }

  #some(room: number, depth: number): Action[] {
    const random = this.#random;
    const roll = random.next();
    if (roll < 0.3) return [this.#launch()];
    if (roll < 0.4) return [this.#record()];
    if (roll < 0.52) return [this.#wait()];
    if (roll < 0.6) return this.#handOver();
    if (roll < 0.64) return [this.#copy()];
    if (roll < 0.66) return [{ kind: 'fill', on: this.#place(), bytes: 4_096, ns: this.#ns(500, 3_000) }];
    if (roll < 0.7) return [this.#sync()];
    if (roll < 0.72) return [this.#ask()];
    if (roll < 0.74) return [this.#allocate()];
    if (roll < 0.78) return [this.sleep()];
    if (roll < 0.82 && this.#context.graphs) return [this.#graph()];
    if (roll < 0.86 && this.#context.worker !== undefined && this.#isMain && depth === 0) return this.#backward();
    if (roll < 0.9 && this.#context.group !== undefined && this.#isMain) return [this.#meet(this.#context.group)];
    if (roll < 0.91 && this.#context.captures) return this.#capture();
    if (depth < 3 && room > 3) return [this.#nest(room, depth)];
    return [this.#launch()];
  }

  #nest(room: number, depth: number): Action {
    const random = this.#random;
    const body = this.list(random.from(1, Math.max(1, Math.min(12, room))), depth + 1);
    const roll = random.next();
    if (roll < 0.1) return { kind: 'annotation', name: '## forward ##', body };
    if (roll < 0.2) return { kind: 'frame', name: `train.py(${random.from(1, 99)}): forward`, body };
    return {
      kind: 'op',
      name: random.pick(OPS),
      beforeNs: this.#ns(300, 5_000),
      betweenNs: random.chance(0.5) ? this.#ns(0, 1_500) : 0,
      afterNs: this.#ns(0, 2_000),
      body,
    };
  }

  #launch(on = this.#place()): Action {
    const random = this.#random;
    const ns = random.chance(0.2) ? this.#ns(20_000, 80_000) : this.#ns(800, 15_000);
    const api = random.pick(LAUNCH_APIS);
    const launch = { kind: 'launch', name: random.pick(KERNELS), on, ns, api } as const;
    if (!this.#context.dependentLaunches || !random.chance(0.08)) return launch;
    return { ...launch, dependent: { triggerNs: this.#ns(300, 4_000), tailNs: this.#ns(200, 3_000) } };
  }

  #record(on = this.#place(), event = this.#event(on.device)): Action {
    this.#recorded.push(event);
    return { kind: 'record', event, on };
  }

  /** Mostly one that was recorded. */
  #known(): number {
    const lately = this.#recorded.slice(-4);
    return lately.length === 0 || this.#random.chance(0.08) ? this.#event() : this.#random.pick(lately);
  }

  #wait(): Action {
    return { kind: 'wait', event: this.#known(), on: this.#place() };
  }

  /** What programs mean by a wait: work, record, wait, work on another stream. */
  #handOver(): Action[] {
    const from = this.#place();
    const others = this.#context.streams.filter((place) => place !== from);
    const to = others.length === 0 ? from : this.#random.pick(others);
    const event = this.#event(from.device);
    return [this.#launch(from), this.#record(from, event), { kind: 'wait', event, on: to }, this.#launch(to)];
  }

  #copy(): Action {
    const random = this.#random;
    return {
      kind: 'copy',
      on: this.#place(),
      direction: random.pick(['HtoD', 'DtoH', 'DtoD'] as const),
      memory: random.pick(['pageable', 'pinned'] as const),
      isBlocking: random.chance(0.3),
      bytes: 1 << random.from(8, 22),
      ns: this.#ns(800, 12_000),
    };
  }

  #sync(): Action {
    const roll = this.#random.next();
    if (roll < 0.4) return { kind: 'event-sync', event: this.#known() };
    return roll < 0.75 ? { kind: 'stream-sync', on: this.#place() } : this.deviceSync();
  }

  #ask(): Action {
    const event = this.#known();
    if (!this.#context.polls || this.#random.chance(0.5)) return { kind: 'query', event };
    return { kind: 'poll', event, everyNs: this.#ns(1_000, 6_000) };
  }

  #allocate(): Action {
    const waits = this.#context.implicitSyncs && this.#random.chance(0.5);
    return { kind: 'allocate', device: this.#place().device, waits };
  }

  #graph(): Action {
    const random = this.#random;
    const on = this.#place();
    const branches = random.chance(0.35) ? random.from(1, 2) : 0;
    const count = random.from(2, 6);
    const nodes = Array.from({ length: count }, (_, n): GraphNode => {
      const after = n === 0 ? [] : [...new Set(Array.from({ length: random.from(0, 2) }, () => random.below(n)))];
      const branch = branches === 0 || n === 0 ? 0 : random.from(0, branches);
      // Each launch stream has branches of its own, so that two launches never meet on one.
      const stream = branch === 0 ? on.stream : GRAPH_STREAM + 10 * on.stream + 1_000 * on.device + branch;
      return { name: random.pick(KERNELS), ns: this.#ns(600, 9_000), after, stream };
    });
    return { kind: 'graph', on, graphId: ++this.#graphs, nodes };
  }

  /** A graph is drawn: calls without effect. */
  #capture(): Action[] {
    const on = this.#place();
    const drawn = [this.#launch(on), { kind: 'record', event: this.#event(on.device), on } as const, this.#wait()];
    return [{ kind: 'capture-begin', on }, ...drawn, this.#launch(on), { kind: 'capture-end', on }];
  }

  /** Forward ops, then a worker that goes through them backwards while the thread waits. */
  #backward(): Action[] {
    const random = this.#random;
    const { worker = 1 } = this.#context;
    const count = random.from(1, 3);
    const forward: Action[] = [];
    const backward: Action[] = [];
    const isLong = random.chance(0.8);
    for (let n = 0; n < count; n++) {
      const sequence = ++this.#sequence;
      const ops = { betweenNs: 300, afterNs: this.#ns(300, 1_500), sequence };
      forward.push({ kind: 'op', name: 'aten::mul', beforeNs: this.#ns(500, 3_000), ...ops, body: [this.#launch()] });
      const beforeNs = isLong ? this.#ns(30_000, 60_000) : this.#ns(500, 4_000);
      const name = 'autograd::engine::evaluate_function: MulBackward0';
      const body = random.chance(0.8) ? [this.#launch()] : [];
      backward.unshift({ kind: 'op', name, beforeNs, ...ops, isBackward: true, body });
    }
    return [...forward, { kind: 'fork', thread: worker, body: backward }, { kind: 'join', thread: worker }];
  }

  #meet(group: string): Action {
    const random = this.#random;
    const about = {
      group,
      on: this.#place(),
      elements: 1 << random.from(4, 24),
      dtype: 'BFloat16',
      ns: this.#ns(3_000, 40_000),
    };
    if (random.chance(0.25)) {
      return { kind: 'send', name: 'ncclDevKernel_SendRecv', peer: 1, isEager: random.chance(0.5), ...about };
    }
    const op = random.pick(['allreduce', 'allgather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce'] as const);
    const uneven = Array.from({ length: this.#context.rankCount }, () => this.#ns(3_000, 40_000));
    const more: Partial<CollectiveAction> = op === 'all_to_all' ? { ns: uneven } : { tailNs: this.#ns(0, 1_000) };
    const name = `ncclDevKernel_${KERNEL_OF[op]}`;
    return { kind: 'collective', op, name, root: 0, ...about, ...more };
  }

  /** More launches than a stream takes. */
  flood(): Action {
    const on = this.#place();
    return {
      kind: 'repeat',
      times: 1_100,
      body: [{ kind: 'launch', name: 'tiny_kernel', on, ns: 60_000, callNs: 2_000 }],
    };
  }
}

const KERNEL_OF = {
  allreduce: 'AllReduce_Sum_bf16_RING_LL',
  allgather: 'AllGather_RING_LL',
  reduce_scatter: 'ReduceScatter_Sum_bf16_RING_LL',
  all_to_all: 'SendRecv',
  broadcast: 'Broadcast_RING_LL',
  reduce: 'Reduce_Sum_bf16_RING_LL',
} as const;

/** Rows of host and device, about. */
export function countRows(actions: readonly Action[]): number {
  let rows = 0;
  for (const action of actions) {
    switch (action.kind) {
      case 'sleep':
      case 'skip':
      case 'join':
        break;
      case 'launch':
      case 'copy':
      case 'fill':
      case 'collective':
      case 'send':
      case 'receive':
        rows += 2;
        break;
      case 'graph':
        rows += 1 + action.nodes.length;
        break;
      case 'repeat':
        rows += action.times * countRows(action.body);
        break;
      default:
        rows += 1 + ('body' in action && action.body !== undefined ? countRows(action.body) : 0);
    }
  }
  return rows;
}
