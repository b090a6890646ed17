import { lowerBoundBy } from '../base/bisect.ts';
import { Api } from './api-names.ts';
import type { CallIndex } from './calls.ts';
import type { DeviceIndex } from './device.ts';
import type { HostIndex } from './host.ts';

/** The device ops of each call, in compressed rows: one launch may have many rows, a copy or a query none. */
export interface LaunchIndex {
  /** Device ops of call `c`: `ops[first[c]]` … `ops[first[c + 1] − 1]`, by start. Length: host ops + 1. */
  readonly first: Int32Array;
  readonly ops: Int32Array;
  /** Calls that enqueue device work, ascending like host ops: by their name, also where their rows are lost, or because a device row names them. */
  readonly calls: Int32Array;
}

export function buildLaunches(host: HostIndex, device: DeviceIndex, { api }: CallIndex): LaunchIndex {
  const first = new Int32Array(host.length + 1);
  let linked = 0;
  for (let op = 0; op < device.length; op++) {
    if (device.call[op] === -1) continue;
    first[device.call[op] + 1]++;
    linked++;
  }
  const calls = new Int32Array(host.length);
  let launching = 0;
  for (let call = 0; call < host.length; call++) {
    if (first[call + 1] > 0 || (api[call] & Api.launch) !== 0) calls[launching++] = call;
    first[call + 1] += first[call];
  }
  const next = first.slice();
  const ops = new Int32Array(linked);
  for (let op = 0; op < device.length; op++) if (device.call[op] !== -1) ops[next[device.call[op]]++] = op;
  return { first, ops, calls: calls.slice(0, launching) };
}

/** Does a host op enqueue device work? */
export const isLaunch = ({ launches: { first }, calls: { api } }: Launching, op: number): boolean =>
  first[op] < first[op + 1] || (api[op] & Api.launch) !== 0;

/** Those that begin in [start, end). */
export function launchesIn({ launches: { calls }, host }: Launching, start: number, end: number): Int32Array {
  return calls.subarray(lowerBoundBy(calls, host.start, start), lowerBoundBy(calls, host.start, end));
}

interface Launching {
  readonly host: HostIndex;
  readonly calls: CallIndex;
  readonly launches: LaunchIndex;
}
