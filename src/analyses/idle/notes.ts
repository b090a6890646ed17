import type { Graph } from '../../graph/graph.ts';
import type { DeviceIdle } from './result.ts';

/** What a reader should know before acting on the causes. */
export function idleNotes({ coverage, host }: Graph, devices: readonly DeviceIdle[]): string[] {
  const notes: string[] = [];
  for (const { device, idleNs, wallNs } of devices) {
    if (wallNs === 0) continue;
    if (idleNs === 0) notes.push(`device ${device} was never idle here`);
    else if (idleNs === wallNs) notes.push(`device ${device} ran nothing here: its ops lie outside of the window`);
  }
  const first = devices.find(isLateFirstOp);
  if (first !== undefined) {
    notes.push(
      `work from before the trace began has no rows: device ${first.device} may have been busy before its first op, which nothing in the trace held up`,
    );
  }
  if (coverage.collectives.total > 0) {
    notes.push(
      'waiting for another rank is 0 here: the trace of one rank does not show it, and a device that waits inside of a collective counts as busy',
    );
  }
  if (host.length === 0) notes.push('the trace has no host ops, so the host’s part in idle time is not known');
  return notes;
}

/** Is a good part of the time before the first op unexplained? */
const isLateFirstOp = ({ groups }: DeviceIdle): boolean =>
  groups.some(
    ({ group, causes }) =>
      group === 'before-first-op' && causes.some(({ cause, share }) => cause === 'unexplained' && share >= 0.01),
  );
