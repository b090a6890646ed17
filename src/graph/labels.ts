import { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import { upperBound } from '../base/bisect.ts';

/** Rows that label host time on one thread (annotations or Python frames), nested: what was going on at any instant. */
export interface Labels {
  /** The innermost row that covers `time` on a track, as an event, or −1. */
  innermostAt(track: number, time: number): number;
  /** All rows that cover it, innermost first. */
  allAt(track: number, time: number): number[];
}

interface LabelTrack {
  readonly event: readonly number[];
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The row around each, as an index here, or −1. */
  readonly around: Int32Array;
}

/** Built once per kind: O(n). A look-up climbs from the last row that began before the instant. */
export function buildLabels({ events, categories }: Trace, kind: RowKind): Labels {
  const wanted = categories.map((category) => category.kind === kind);
  const byTrack = new Map<number, number[]>();
  for (let e = 0; e < events.length; e++) {
    if (!wanted[events.category[e]] || events.phase[e] > Phase.begin || (events.flags[e] & RowFlag.noTiming) !== 0) {
      continue;
    }
    const rows = byTrack.get(events.track[e]);
    if (rows === undefined) byTrack.set(events.track[e], [e]);
    else rows.push(e);
  }
  const tracks = new Map<number, LabelTrack>();
  for (const [track, rows] of byTrack) {
    const start = new Float64Array(rows.length);
    const end = new Float64Array(rows.length);
    const around = new Int32Array(rows.length).fill(-1);
    const open: number[] = [];
    for (let i = 0; i < rows.length; i++) {
      start[i] = events.start[rows[i]];
      end[i] = start[i] + events.dur[rows[i]];
      while (open.length > 0 && end[open[open.length - 1]] <= start[i]) open.pop();
      if (open.length > 0) around[i] = open[open.length - 1];
      open.push(i);
    }
    tracks.set(track, { event: rows, start, end, around });
  }
  const placeAt = (labels: LabelTrack, time: number): number => {
    let at = upperBound(labels.start, time) - 1;
    while (at >= 0 && labels.end[at] <= time) at = labels.around[at];
    return at;
  };
  return {
    innermostAt(track, time) {
      const labels = tracks.get(track);
      return labels?.event[placeAt(labels, time)] ?? -1;
    },
    allAt(track, time) {
      const labels = tracks.get(track);
      const found: number[] = [];
      if (labels === undefined) return found;
      for (let at = placeAt(labels, time); at >= 0; at = labels.around[at]) {
        if (labels.end[at] > time) found.push(labels.event[at]);
      }
      return found;
    },
  };
}

export const annotationLabels = (trace: Trace): Labels => buildLabels(trace, RowKind.annotation);
export const pythonLabels = (trace: Trace): Labels => buildLabels(trace, RowKind.python);
