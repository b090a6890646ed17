import { lowerBound } from '../base/bisect.ts';
import type { GatheredCall } from '../graph/collective-calls.ts';
import type { DeviceIndex } from '../graph/device.ts';
import type { Graph } from '../graph/graph.ts';

/** What the devices of a rank do beside its sends and receives. Copies and fills are none of it: a batch that is fetched ends no wait. */
export class OtherWork {
  readonly #device: DeviceIndex;
  /** By number of a device: of its other ops, in order of start, when they begin, and the latest end of those up to each. */
  readonly #byDevice = new Map<number, { readonly start: number[]; readonly latestEnd: number[] }>();

  /** `transfers`: the sends and receives. O(device ops). */
  constructor({ device, classOf }: Graph, transfers: readonly GatheredCall[]) {
    this.#device = device;
    const isTransfer = new Uint8Array(device.length);
    for (const { ops } of transfers) for (const op of ops) isTransfer[op] = 1;
    for (let op = 0; op < device.length; op++) {
      if (isTransfer[op] === 1 || classOf[op] === 'copy') continue;
      const number = this.#numberOf(op);
      const known = this.#byDevice.get(number) ?? { start: [], latestEnd: [] };
      this.#byDevice.set(number, known);
      known.start.push(device.start[op]);
      known.latestEnd.push(Math.max(known.latestEnd.at(-1) ?? -Infinity, device.end[op]));
    }
  }

  /** Since when the device of a call has done nothing else when the call ends: not before it begins; its end where other work still runs. Ns. */
  over({ ops }: GatheredCall, startNs: number, endNs: number): number {
    const others = this.#byDevice.get(this.#numberOf(ops[0]));
    if (others === undefined) return startNs;
    // What begins when the call ends no longer runs beside it.
    const before = lowerBound(others.start, endNs) - 1;
    return before < 0 ? startNs : Math.min(endNs, Math.max(startNs, others.latestEnd[before]));
  }

  readonly #numberOf = (op: number): number => this.#device.lanes[this.#device.lane[op]].device;
}
