import { ascendsBy, upperBound } from '../base/bisect.ts';
import { pick } from '../base/pick.ts';
import { Api } from './api-names.ts';
import type { CallIndex } from './calls.ts';
import type { DeviceIndex } from './device.ts';
import type { HostIndex } from './host.ts';

/** The launch calls into one lane by start, with the latest end of all up to each, so that a look back knows when to stop. */
interface LaneCalls {
  readonly calls: Int32Array;
  readonly start: Float64Array;
  readonly latestEnd: Float64Array;
}

const SYNC_API = Api.eventSync | Api.streamSync | Api.deviceSync;
/** So long after its beginning a synchronising call has taken note of what it waits for. */
const NOTED_NS = 2_000;
/** Launches looked back at while a longer one is under way. Beyond that nobody can say: it counts as racing. */
const FARTHEST_LOOK = 4_096;

/**
 * Correlation ids give the order of two calls only if one had ended, or had the stream's lock, before the other began: where a record,
 * wait or synchronising call and another thread's launch into the same stream are under way at once, either may have come first.
 */
export class RacingCalls {
  readonly #host: HostIndex;
  readonly #api: Int32Array;
  readonly #lanes: LaneCalls[];

  /** `lost`: launch calls that left no row, so that they may have been into any lane. */
  constructor(host: HostIndex, { api }: CallIndex, device: DeviceIndex, lost: readonly number[]) {
    this.#host = host;
    this.#api = api;
    /** By call: 1 + the lane whose list it was put into last. */
    const isListed = new Int32Array(host.length);
    this.#lanes = device.lanes.map((lane, index) => {
      const list: number[] = [];
      const add = (call: number): void => {
        if (call === -1 || isListed[call] === 1 + index) return;
        isListed[call] = 1 + index;
        list.push(call);
      };
      for (let i = 0; i < lane.ops.length; i++) add(device.call[lane.ops[i]]);
      for (let i = 0; i < lost.length; i++) add(lost[i]);
      const calls = Int32Array.from(list);
      if (!ascendsBy(calls, host.start)) calls.sort((a, b) => host.start[a] - host.start[b]);
      const latestEnd = new Float64Array(calls.length);
      let latest = -Infinity;
      for (let i = 0; i < calls.length; i++) {
        latest = Math.max(latest, host.end[calls[i]]);
        latestEnd[i] = latest;
      }
      return { calls, start: pick(host.start, calls), latestEnd };
    });
  }

  /** Was another thread's launch into the lane under way? */
  isRacing(call: number, lane: number): boolean {
    if (call === -1 || lane === -1) return false;
    const { calls, start, latestEnd } = this.#lanes[lane];
    const began = this.#host.start[call];
    let looked = 0;
    for (let i = upperBound(start, this.#notedBy(call)) - 1; i >= 0 && latestEnd[i] > began; i--) {
      if (++looked > FARTHEST_LOOK) return true;
      const other = calls[i];
      if (this.#host.thread[other] !== this.#host.thread[call] && this.#host.end[other] > began) return true;
    }
    return false;
  }

  /** Were two calls of different threads under way at once? */
  areAtOnce(call: number, other: number): boolean {
    const { start, thread } = this.#host;
    if (call === -1 || other === -1 || thread[call] === thread[other]) return false;
    return start[call] <= this.#notedBy(other) && start[other] <= this.#notedBy(call);
  }

  #notedBy(call: number): number {
    const { start, end } = this.#host;
    return (this.#api[call] & SYNC_API) === 0 ? end[call] : Math.min(end[call], start[call] + NOTED_NS);
  }
}
