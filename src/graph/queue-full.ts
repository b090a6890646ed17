import { Api } from './api-names.ts';
import type { CallIndex } from './calls.ts';
import type { ConstraintBuilder } from './constraint-set.ts';
import { kindCode } from './constraints.ts';
import type { DeviceIndex } from './device.ts';
import type { HostIndex } from './host.ts';
import { endOf } from './host.ts';
import type { Moments } from './moments.ts';

/** Launches that a stream takes before the next one blocks (rule 31; what threads of CUDA users report, not documented). */
const QUEUE_LENGTH = 1_024;

/** A launch into a full queue returns once the op 1,024 calls before it on its stream has begun. Calls count, not device rows. */
export function addQueueFull(
  constraints: ConstraintBuilder,
  host: HostIndex,
  calls: CallIndex,
  device: DeviceIndex,
  moments: Moments,
): void {
  for (const { enqueued } of device.lanes) {
    const heads: number[] = [];
    let lastCall = -1;
    for (let i = 0; i < enqueued.length; i++) {
      const op = enqueued[i];
      const call = device.call[op];
      if (call !== -1 && call === lastCall) continue;
      lastCall = call;
      heads.push(op);
      const head = heads[heads.length - 1 - QUEUE_LENGTH];
      if (head === undefined || call === -1 || (calls.api[call] & Api.cuda) === 0) continue;
      const freed = device.start[head];
      if (freed > host.start[call] && freed <= host.end[call]) {
        constraints.add(kindCode('queue-full'), moments.startOfOp(head), endOf(call));
      }
    }
  }
}
