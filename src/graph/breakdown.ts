import type { PathGroups } from './path-groups.ts';
import { SEGMENT_KINDS, type SegmentKind } from './segments.ts';
import type { Window } from './windows.ts';

export interface BreakdownPart {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  readonly segments: number;
}

/** What paths were spent on together, the largest first. O(groups). */
export function breakdownOf(paths: readonly PathGroups[], wallNs: number): BreakdownPart[] {
  const totals = new Float64Array(SEGMENT_KINDS.length);
  const counts = new Int32Array(SEGMENT_KINDS.length);
  for (const { length, kind, totalNs, count } of paths) {
    for (let group = 0; group < length; group++) {
      totals[kind[group]] += totalNs[group];
      counts[kind[group]] += count[group];
    }
  }
  const parts = SEGMENT_KINDS.map((kind, place) => ({
    kind,
    totalNs: totals[place],
    share: wallNs > 0 ? totals[place] / wallNs : 0,
    segments: counts[place],
  }));
  return parts.filter((part) => part.segments > 0).sort((a, b) => b.totalNs - a.totalNs || (a.kind < b.kind ? -1 : 1));
}

/** What windows that tile are called together. */
export function labelOfWindows(windows: readonly Window[]): string {
  const labels = windows.map(({ label }) => label).filter((label) => label !== 'between');
  const [first, last] = [labels[0] ?? 'between', labels.at(-1) ?? 'between'];
  if (labels.length < 2) return first;
  return first === last ? `${first} (${labels.length} instances)` : `${first}..${last}`;
}
