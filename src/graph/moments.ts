import type { DeviceIndex } from './device.ts';
import type { GraphLaunches } from './graph-launch.ts';
import { type HostIndex, endOf, startOf } from './host.ts';

/**
 * The numbers of moments: host ops first (2 × op, 2 × op + 1), then device ops likewise, then one for the end of each graph launch
 * that ends with several nodes at once.
 */
export class Moments {
  readonly host: number;
  readonly count: number;
  readonly #device: DeviceIndex;
  readonly #launches: GraphLaunches;
  readonly #endOfLaunch: Int32Array;
  readonly #endTime: Float64Array;
  readonly #leafOfJoin: Int32Array;

  constructor(host: HostIndex, device: DeviceIndex, launches: GraphLaunches) {
    this.host = 2 * host.length;
    this.#device = device;
    this.#launches = launches;
    const ops = this.host + 2 * device.length;
    let joins = 0;
    const leafOfJoin: number[] = [];
    this.#endOfLaunch = new Int32Array(launches.list.length);
    this.#endTime = new Float64Array(launches.list.length);
    launches.list.forEach(({ leaves }, launch) => {
      let last = leaves[0];
      for (const leaf of leaves) if (device.end[leaf] > device.end[last]) last = leaf;
      this.#endTime[launch] = device.end[last];
      this.#endOfLaunch[launch] = leaves.length > 1 ? ops + joins++ : this.endOfOp(last);
      if (leaves.length > 1) leafOfJoin.push(last);
    });
    this.#leafOfJoin = Int32Array.from(leafOfJoin);
    this.count = ops + joins;
  }

  startOfOp(op: number): number {
    return this.host + startOf(op);
  }

  endOfOp(op: number): number {
    return this.host + endOf(op);
  }

  endOfLaunch(launch: number): number {
    return this.#endOfLaunch[launch];
  }

  endTimeOfLaunch(launch: number): number {
    return this.#endTime[launch];
  }

  isHost(moment: number): boolean {
    return moment < this.host;
  }

  isJoin(moment: number): boolean {
    return moment >= this.host + 2 * this.#device.length;
  }

  /** The host op of a host moment. */
  hostOp(moment: number): number {
    return moment >> 1;
  }

  /** The device op of a device moment; of a join, the leaf that ended last. */
  deviceOp(moment: number): number {
    if (this.isJoin(moment)) return this.#leafOfJoin[moment - this.host - 2 * this.#device.length];
    return (moment - this.host) >> 1;
  }

  isStart(moment: number): boolean {
    return (moment & 1) === 0 && !this.isJoin(moment);
  }

  /** Measured times, by moment. */
  times(host: HostIndex): Float64Array {
    const time = new Float64Array(this.count);
    for (let op = 0; op < host.length; op++) {
      time[startOf(op)] = host.start[op];
      time[endOf(op)] = host.end[op];
    }
    for (let op = 0; op < this.#device.length; op++) {
      time[this.startOfOp(op)] = this.#device.start[op];
      time[this.endOfOp(op)] = this.#device.end[op];
    }
    this.#launches.list.forEach((_, launch) => {
      time[this.#endOfLaunch[launch]] = this.#endTime[launch];
    });
    return time;
  }
}
