import type { Graph } from '../../graph/graph.ts';
import { type Stretch, partOf } from './host-work.ts';

/** Device time by group: the plain sum of runs, and their union on each device, summed over devices. */
export interface DeviceSums {
  readonly sum: Float64Array;
  readonly union: Float64Array;
  /** By group × device: until when it is covered. */
  readonly until: Float64Array;
}

/** Adds up runs that come in order of start: then a union needs no more than the end of what came so far. */
export class DeviceRuns {
  readonly #graph: Graph;
  /** By lane: the number of its device. */
  readonly #deviceOf: Int32Array;
  readonly #devices: number;

  constructor(graph: Graph) {
    const numbers = [...new Set(graph.device.lanes.map(({ device }) => device))];
    this.#graph = graph;
    this.#deviceOf = Int32Array.from(graph.device.lanes, ({ device }) => numbers.indexOf(device));
    this.#devices = Math.max(1, numbers.length);
  }

  sums(groups: number): DeviceSums {
    return {
      sum: new Float64Array(groups),
      union: new Float64Array(groups),
      until: new Float64Array(groups * this.#devices).fill(-Infinity),
    };
  }

  /** Ops of one group must come by their start. */
  add({ sum, union, until }: DeviceSums, group: number, op: number, stretch: Stretch): void {
    const { device } = this.#graph;
    const slot = group * this.#devices + this.#deviceOf[device.lane[op]];
    sum[group] += partOf(device.start[op], device.end[op], stretch);
    union[group] += partOf(Math.max(device.start[op], until[slot]), device.end[op], stretch);
    until[slot] = Math.max(until[slot], device.end[op]);
  }
}
