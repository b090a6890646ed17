import type { Segment } from './path.ts';
import type { SegmentKind } from './segments.ts';
import type { Window } from './windows.ts';

export interface BreakdownPart {
  readonly kind: SegmentKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
  readonly segments: number;
}

/** What a path was spent on, the largest first. */
export function breakdownOf(segments: readonly Segment[], wallNs: number): BreakdownPart[] {
  const totals = new Map<SegmentKind, { totalNs: number; segments: number }>();
  for (const { kind, start, end } of segments) {
    const row = totals.get(kind) ?? { totalNs: 0, segments: 0 };
    row.totalNs += end - start;
    row.segments++;
    totals.set(kind, row);
  }
  return [...totals]
    .map(([kind, row]) => ({
      kind,
      totalNs: row.totalNs,
      share: wallNs > 0 ? row.totalNs / wallNs : 0,
      segments: row.segments,
    }))
    .sort((a, b) => b.totalNs - a.totalNs || (a.kind < b.kind ? -1 : 1));
}

/** What windows that tile are called together. */
export function labelOfWindows(windows: readonly Window[]): string {
  const labels = windows.map(({ label }) => label).filter((label) => label !== 'between');
  const [first, last] = [labels[0] ?? 'between', labels.at(-1) ?? 'between'];
  if (labels.length < 2) return first;
  return first === last ? `${first} (${labels.length} instances)` : `${first}..${last}`;
}
