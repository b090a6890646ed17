import { upperBound } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import type { CallIndex } from './calls.ts';
import type { HostIndex } from './host.ts';
import type { LaunchIndex } from './launches.ts';

/** Launches of kernels and graphs that left no device rows: on which stream they ran nobody knows. */
export class LostLaunches {
  readonly calls: readonly number[];
  /** Ascending. */
  readonly #keys: Float64Array;

  /** Copies and fills are left out: one of nothing enqueues nothing. So are calls that draw a graph. */
  constructor({ threads }: HostIndex, { api, key }: CallIndex, { first }: LaunchIndex) {
    const lost: number[] = [];
    for (const { ops } of threads) {
      let isCapturing = false;
      for (let i = 0; i < ops.length; i++) {
        const op = ops[i];
        if ((api[op] & (Api.capture | Api.launch)) === 0) continue;
        if ((api[op] & Api.capture) !== 0) isCapturing = (api[op] & Api.captureEnd) === 0;
        const isLaunch = (api[op] & Api.launch) !== 0 && (api[op] & (Api.copy | Api.fill)) === 0;
        if (isLaunch && !isCapturing && first[op] === first[op + 1] && !Number.isNaN(key[op])) lost.push(op);
      }
    }
    this.calls = lost;
    this.#keys = Float64Array.from(lost, (op) => key[op]).sort();
  }

  /** Was one enqueued after `from` and before `to`? */
  isAnyBetween(from: number, to: number): boolean {
    return (this.#keys[upperBound(this.#keys, from)] ?? Infinity) < to;
  }
}
