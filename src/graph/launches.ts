import type { DeviceIndex } from './device.ts';
import type { HostIndex } from './host.ts';

/** The device ops of each call, in compressed rows: one launch may have many rows, a copy or a query none. */
export interface LaunchIndex {
  /** Device ops of call `c`: `ops[first[c]]` … `ops[first[c + 1] − 1]`, by start. Length: host ops + 1. */
  readonly first: Int32Array;
  readonly ops: Int32Array;
}

export function buildLaunches(host: HostIndex, device: DeviceIndex): LaunchIndex {
  const first = new Int32Array(host.length + 1);
  let linked = 0;
  for (let op = 0; op < device.length; op++) {
    if (device.call[op] === -1) continue;
    first[device.call[op] + 1]++;
    linked++;
  }
  for (let call = 0; call < host.length; call++) first[call + 1] += first[call];
  const next = first.slice();
  const ops = new Int32Array(linked);
  for (let op = 0; op < device.length; op++) if (device.call[op] !== -1) ops[next[device.call[op]]++] = op;
  return { first, ops };
}
