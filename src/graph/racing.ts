import { upperBound } from '../base/bisect.ts';
import type { DeviceIndex } from './device.ts';
import type { HostIndex } from './host.ts';

/** The launch calls into one lane by start, with the latest end of all up to each, so that a look back knows when to stop. */
interface LaneCalls {
  readonly calls: readonly number[];
  readonly start: Float64Array;
  readonly latestEnd: Float64Array;
}

/**
 * Correlation ids give the order of two calls only if one had ended, or had the stream's lock, before the other began: a record,
 * wait or synchronising call that begins while another thread's launch into the same stream is under way may be on either side.
 */
export class RacingCalls {
  readonly #host: HostIndex;
  readonly #lanes: LaneCalls[];

  constructor(host: HostIndex, device: DeviceIndex) {
    this.#host = host;
    this.#lanes = device.lanes.map((lane) => {
      const calls = [...new Set(Array.from(lane.ops, (op) => device.call[op]))].filter((call) => call !== -1);
      calls.sort((a, b) => host.start[a] - host.start[b]);
      const latestEnd = new Float64Array(calls.length);
      let latest = -Infinity;
      calls.forEach((call, i) => {
        latest = Math.max(latest, host.end[call]);
        latestEnd[i] = latest;
      });
      return { calls, start: Float64Array.from(calls, (call) => host.start[call]), latestEnd };
    });
  }

  isRacing(call: number, lane: number): boolean {
    if (call === -1 || lane === -1) return false;
    const { calls, start, latestEnd } = this.#lanes[lane];
    const began = this.#host.start[call];
    for (let i = upperBound(start, began) - 1; i >= 0 && latestEnd[i] > began; i--) {
      const other = calls[i];
      if (other !== call && this.#host.thread[other] !== this.#host.thread[call] && this.#host.end[other] > began) {
        return true;
      }
    }
    return false;
  }
}
