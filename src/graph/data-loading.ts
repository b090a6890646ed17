import { matchesName } from '../base/matches.ts';
import { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import { lowerBound, upperBound } from '../base/bisect.ts';

/** Ops, annotations and Python frames under which a host loads data. The user may add to them. */
const DATA_LOADING =
  /DataLoader|_next_data|dataloader|data_loader|enumerate\([^()]{0,100}[Ll]oader|_try_get_data|torch\/utils\/data|prefetch_data|load_batch/;

/** Stretches of host time on each track that are spent loading data, merged and in order. */
export class DataLoading {
  readonly #byTrack = new Map<number, { start: number[]; end: number[] }>();

  constructor({ events, categories, strings }: Trace, extra: RegExp | undefined) {
    const labels = categories.map(
      ({ kind }) => kind === RowKind.op || kind === RowKind.annotation || kind === RowKind.python,
    );
    const known = new Int8Array(strings.length);
    for (let e = 0; e < events.length; e++) {
      if (!labels[events.category[e]] || events.phase[e] > Phase.begin || (events.flags[e] & RowFlag.noTiming) !== 0) {
        continue;
      }
      const name = events.name[e];
      if (known[name] === 0) {
        const text = strings.text(name);
        known[name] = matchesName(DATA_LOADING, text) || (extra !== undefined && matchesName(extra, text)) ? 1 : -1;
      }
      if (known[name] !== 1) continue;
      const merged = this.#byTrack.get(events.track[e]) ?? { start: [], end: [] };
      this.#byTrack.set(events.track[e], merged);
      const last = merged.end.length - 1;
      const end = events.start[e] + events.dur[e];
      if (last >= 0 && events.start[e] <= merged.end[last]) merged.end[last] = Math.max(merged.end[last], end);
      else {
        merged.start.push(events.start[e]);
        merged.end.push(end);
      }
    }
  }

  /** Does any of [start, end) on a track belong to data loading? */
  touches(track: number, start: number, end: number): boolean {
    const merged = this.#byTrack.get(track);
    return merged !== undefined && upperBound(merged.end, start) < lowerBound(merged.start, end);
  }

  /** The parts of [start, end) on a track, in order, each inside or outside of data loading. */
  split(track: number, start: number, end: number): { start: number; end: number; loading: boolean }[] {
    const merged = this.#byTrack.get(track);
    if (merged === undefined) return [{ start, end, loading: false }];
    const parts: { start: number; end: number; loading: boolean }[] = [];
    let at = start;
    for (let i = upperBound(merged.end, start); i < lowerBound(merged.start, end); i++) {
      const from = Math.max(at, merged.start[i]);
      const to = Math.min(end, merged.end[i]);
      if (from > at) parts.push({ start: at, end: from, loading: false });
      parts.push({ start: from, end: to, loading: true });
      at = to;
    }
    if (at < end) parts.push({ start: at, end, loading: false });
    return parts;
  }
}
