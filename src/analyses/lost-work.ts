import { formatPlural } from '../base/format.ts';
import type { Scope } from './scope.ts';

/** What the profiler lost of the devices' work looks like idle time: said where launches of the windows have no device rows. */
export function lostWorkNotes({ graph, start, end }: Scope): string[] {
  const { host, sync } = graph;
  let lost = 0;
  for (const call of sync.lost.calls) {
    if (host.start[call] >= start && host.start[call] < end) lost++;
  }
  if (lost === 0) return [];
  const made = `${formatPlural(lost, 'launch', 'launches')} made here ${lost === 1 ? 'has' : 'have'} no device row`;
  return [`${made}: what ${lost === 1 ? 'it' : 'they'} ran counts as idle, so a device was busier than this says`];
}

/** Why devices cannot be asked about where no device op is in the trace: that is not the same as an idle device. */
export const NO_DEVICE_OPS =
  'the trace has no device ops, so it does not say when a device worked: was it recorded with ProfilerActivity.CUDA?';
