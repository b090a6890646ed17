import type { Timeline } from '../protocol/timeline.ts';

type PathColumns = Pick<Timeline, 'pathStart' | 'pathEnd' | 'pathPosition' | 'pathKind' | 'pathBoundBy' | 'pathCount'>;

/** One piece of a cell: its segments of one kind. */
interface Piece {
  readonly kind: number;
  ns: number;
  count: number;
  /** The longest of them. */
  longest: number;
}

/**
 * The path with fewer segments: those that are shorter than a cell, and begin in one cell of one window, become a piece a kind, each with all
 * the time of its kind, one behind the other. So the times of kinds stay exact, and pieces tile the path. A piece has the event of its
 * longest segment. O(segments).
 */
export function mergePath(timeline: Timeline, cellNs: number): PathColumns {
  const { pathStart, pathEnd, pathKind, pathPosition, pathBoundBy, windows } = timeline;
  const [starts, ends, sources, counts]: number[][] = [[], [], [], []];
  const isShort = (s: number): boolean => pathEnd[s] - pathStart[s] < cellNs;
  const add = (start: number, end: number, source: number, count: number): void => {
    starts.push(start);
    ends.push(end);
    sources.push(source);
    counts.push(count);
  };
  let window = 0;
  for (let s = 0; s < pathStart.length;) {
    while (window < windows.length - 1 && pathStart[s] >= windows[window].endNs) window++;
    const until = windows[window]?.endNs ?? Infinity;
    const cell = Math.floor(pathStart[s] / cellNs);
    const first = s;
    const pieces = new Map<number, Piece>();
    for (; s < pathStart.length && isShort(s) && pathEnd[s] <= until; s++) {
      if (Math.floor(pathStart[s] / cellNs) !== cell) break;
      const piece = pieces.get(pathKind[s]) ?? { kind: pathKind[s], ns: 0, count: 0, longest: s };
      pieces.set(pathKind[s], piece);
      piece.ns += pathEnd[s] - pathStart[s];
      piece.count++;
      if (pathEnd[s] - pathStart[s] > pathEnd[piece.longest] - pathStart[piece.longest]) piece.longest = s;
    }
    if (s === first) {
      add(pathStart[s], pathEnd[s], s, 1);
      s++;
      continue;
    }
    let at = pathStart[first];
    for (const { ns, longest, count } of pieces.values()) {
      add(at, at + ns, longest, count);
      at += ns;
    }
  }
  return {
    pathStart: Float64Array.from(starts),
    pathEnd: Float64Array.from(ends),
    pathPosition: Int32Array.from(sources, (s) => pathPosition[s]),
    pathKind: Uint8Array.from(sources, (s) => pathKind[s]),
    pathBoundBy: Uint8Array.from(sources, (s) => pathBoundBy[s]),
    pathCount: Int32Array.from(counts),
  };
}
