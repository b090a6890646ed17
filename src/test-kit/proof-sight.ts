// Which moment of a graph is which moment of the truth that its trace was written from.
import type { Graph } from '../graph/graph.ts';
import type { RowPlan } from '../sim/row-plan.ts';
import { ItemKind, type RankTruth } from '../sim/truth.ts';

/**
 * Both sides of one trace. A thing that a moment may come after has a name on both sides: `d12` is the end of device item 12, `d12^` its
 * start, `g9` the end of all nodes of the graph launch that item 9 called, `h4` and `h4^` are moments of host item 4.
 */
export class Sight {
  readonly truth: RankTruth;
  readonly plan: RowPlan;
  readonly graph: Graph;
  /** By event: the item, or −1. */
  readonly #itemOfEvent: Int32Array;
  readonly #eventOfItem: Int32Array;
  /** By device item: its graph launch's call where that has several nodes, else −1. */
  readonly launchOf: Int32Array;

  constructor(truth: RankTruth, plan: RowPlan, graph: Graph) {
    this.truth = truth;
    this.plan = plan;
    this.graph = graph;
    const { items, actions } = truth;
    const { position, length } = graph.trace.events;
    const itemAt = new Int32Array(plan.rowCount).fill(-1);
    for (let item = 0; item < items.length; item++) {
      if (plan.positionOf[item] !== -1) itemAt[plan.positionOf[item]] = item;
    }
    this.#itemOfEvent = new Int32Array(length).fill(-1);
    this.#eventOfItem = new Int32Array(items.length).fill(-1);
    for (let event = 0; event < length; event++) {
      const item = itemAt[position[event]] ?? -1;
      this.#itemOfEvent[event] = item;
      if (item !== -1) this.#eventOfItem[item] = event;
    }
    this.launchOf = Int32Array.from({ length: items.length }, (_, item) => {
      const action = actions[item];
      const isNode = items.kind[item] === ItemKind.device && action?.kind === 'graph' && action.nodes.length > 1;
      return isNode ? items.parent[item] : -1;
    });
  }

  isWritten(item: number): boolean {
    return this.#eventOfItem[item] !== -1;
  }

  isDevice(item: number): boolean {
    return this.truth.items.kind[item] === ItemKind.device;
  }

  /** Where a device item stands on its stream; a node of a graph where the first node of its launch stands. −1 for host items. */
  placeOf(item: number): { readonly item: number; readonly lane: number } {
    const { items, lanes, actions } = this.truth;
    if (!this.isDevice(item)) return { item, lane: -1 };
    if (this.launchOf[item] === -1) return { item, lane: items.track[item] };
    let first = item;
    while (this.launchOf[first - 1] === this.launchOf[item]) first--;
    const action = actions[item];
    const on = action?.kind === 'graph' ? action.on : undefined;
    const lane = lanes.findIndex(({ device, stream }) => device === on?.device && stream === on.stream);
    return { item: first, lane };
  }

  /** Is it a node of a launch whose nodes are on several streams? */
  isSpread(item: number): boolean {
    const action = this.truth.actions[item];
    if (this.launchOf[item] === -1 || action?.kind !== 'graph') return false;
    return action.nodes.some(({ stream }) => stream !== undefined && stream !== action.on.stream);
  }

  /** The graph's moment of a moment of the truth, or −1 where its row is not in the trace. */
  momentOf(moment: number): number {
    const event = this.#eventOfItem[moment >> 1];
    if (event === -1) return -1;
    const { host, device, moments } = this.graph;
    const isEnd = (moment & 1) === 1;
    if (this.isDevice(moment >> 1)) {
      const op = device.opOfEvent[event];
      if (op === -1) return -1;
      return isEnd ? moments.endOfOp(op) : moments.startOfOp(op);
    }
    const op = host.opOfEvent[event];
    return op === -1 ? -1 : 2 * op + (moment & 1);
  }

  itemOfEvent(event: number): number {
    return this.#itemOfEvent[event];
  }

  itemOfHostOp(op: number): number {
    return this.#itemOfEvent[this.graph.host.event[op]];
  }

  itemOfDeviceOp(op: number): number {
    return this.#itemOfEvent[this.graph.device.event[op]];
  }

  /** The truth's moment of a moment of the graph; of the end of a graph launch, that of the node that ended last. */
  trueMoment(moment: number): number {
    const { moments } = this.graph;
    if (moments.isHost(moment)) return 2 * this.itemOfHostOp(moments.hostOp(moment)) + (moment & 1);
    const item = this.itemOfDeviceOp(moments.deviceOp(moment));
    return 2 * item + (moments.isStart(moment) ? 0 : 1);
  }

  /** The name of what a constraint of the truth comes after. */
  trueSource(moment: number): string {
    const item = moment >> 1;
    const isEnd = (moment & 1) === 1;
    if (!this.isDevice(item)) return `h${item}${isEnd ? '' : '^'}`;
    if (isEnd && this.launchOf[item] !== -1) return `g${this.launchOf[item]}`;
    return `d${item}${isEnd ? '' : '^'}`;
  }

  /** The name of what a constraint of the graph comes after. */
  source(moment: number): string {
    const { moments, graphLaunches: launches } = this.graph;
    const truth = this.trueMoment(moment);
    if (moments.isHost(moment)) return this.trueSource(truth);
    const launch = launches.of[moments.deviceOp(moment)];
    // The node that ended last stands for the launch.
    const isWhole = launch === -1 || this.graph.time[moment] === this.graph.time[moments.endOfLaunch(launch)];
    return isWhole ? this.trueSource(truth) : `d${truth >> 1}${(truth & 1) === 1 ? '' : '^'}`;
  }
}
