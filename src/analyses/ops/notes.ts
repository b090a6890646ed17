import { formatCount, formatDur, formatPlural, formatShare } from '../../base/format.ts';
import type { ByName } from './by-name.ts';
import type { DeviceWork } from './compute.ts';
import type { HostWork } from './host-work.ts';
import type { OpsOptions } from './options.ts';

const RECORDED: Readonly<Record<OpsOptions['by'], string>> = {
  op: 'no op or call ran in the window',
  shape: 'no op or call ran in the window',
  module: 'no nn.Module was recorded (with_stack=True records them)',
  python: 'no Python frames were recorded (with_stack=True records them)',
  annotation: 'no annotations were recorded',
};

/** What a reader should know of these rows before adding them up. */
export function opsNotes(
  { frames, backward: { linked, unlinked } }: HostWork,
  { by }: OpsOptions,
  { rows, threads, outsideNs, hostElsewhereNs }: ByName,
  { deviceSumNs, unlaunchedNs }: DeviceWork,
  { waitedNs, isWhole }: { readonly waitedNs: number; readonly isWhole: boolean },
): string[] {
  const notes: string[] = [];
  if (rows.length === 0) notes.push(RECORDED[by]);
  if (by === 'shape' && rows.length > 0 && rows.every(({ shapes }) => shapes === undefined)) {
    notes.push('input shapes were not recorded (record_shapes=True records them): rows are told apart by name only');
  }
  if (threads > 1) notes.push(`host times are summed over ${threads} threads, which may have worked at the same time`);
  // Who asks for a part of the trace expects it; the whole one ends where the thread that is followed does.
  if (isWhole && hostElsewhereNs > 0) {
    notes.push(
      `${formatDur(hostElsewhereNs)} of host time lies outside of this window, on threads that began before it or went ` +
        'on after it: no row has it (--range)',
    );
  }
  if (waitedNs > 0) {
    notes.push(
      `${formatDur(waitedNs)} in which a thread stood still for ops of a worker are the worker's in this tree`,
    );
  }
  if (unlaunchedNs > 0) {
    const share = formatShare(unlaunchedNs / deviceSumNs);
    notes.push(`${formatDur(unlaunchedNs)} of device work (${share}) has no launch call in the trace: no row has it`);
  }
  if (outsideNs > 0) {
    const share = formatShare(outsideNs / deviceSumNs);
    notes.push(`${formatDur(outsideNs)} of device work (${share}) was launched outside of all ${by} rows`);
  }
  if (linked + unlinked > 0) notes.push(backwardNote(linked, unlinked));
  if (frames.cut.frames > 0) {
    const cut = formatDur(frames.cut.totalNs);
    notes.push(`${formatPlural(frames.cut.frames, 'row')} reached out of the row around it and lost ${cut}`);
  }
  if (frames.idleThreads > 0) {
    const which = formatPlural(frames.idleThreads, 'thread');
    notes.push(
      `${which} with Python frames or annotations but no op ${frames.idleThreads === 1 ? 'is' : 'are'} left out`,
    );
  }
  return notes;
}

function backwardNote(linked: number, unlinked: number): string {
  const all = formatPlural(linked + unlinked, 'backward op');
  if (linked === 0) {
    return `none of ${all} is joined to a forward op: the trace holds neither flows nor sequence numbers that say which`;
  }
  const others = unlinked === 0 ? '' : '; the others (gradients that are added up, and the like) have none';
  return `${formatCount(linked)} of ${all} ${linked === 1 ? 'is' : 'are'} joined to the forward op that made it${others}`;
}
