import { DataLoading } from '../../graph/data-loading.ts';
import { warpThread } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Labels } from '../../graph/labels.ts';
import type { PathContext } from '../../graph/path.ts';

type Warp = (track: number, instant: number) => number;

/** What a walk over a forecast needs: labels of the trace, looked up where its threads were before the change. */
export function warpedContext(before: PathContext, after: Graph, extra: RegExp | undefined): PathContext {
  const byTrack = new Map(
    after.host.threads.map(({ track, sequence }) => [
      track as number,
      warpThread(sequence, after.time, before.graph.time),
    ]),
  );
  const warp: Warp = (track, instant) => byTrack.get(track)?.(instant) ?? instant;
  return {
    graph: after,
    loading: new WarpedLoading(after, extra, warp),
    annotations: warpedLabels(before.annotations, warp),
    python: warpedLabels(before.python, warp),
  };
}

const warpedLabels = (labels: Labels, warp: Warp): Labels => ({
  innermostAt: (track, time) => labels.innermostAt(track, warp(track, time)),
  allAt: (track, time) => labels.allAt(track, warp(track, time)),
});

class WarpedLoading extends DataLoading {
  readonly #warp: Warp;

  constructor({ trace }: Graph, extra: RegExp | undefined, warp: Warp) {
    super(trace, extra);
    this.#warp = warp;
  }

  override touches(track: number, start: number, end: number): boolean {
    const from = this.#warp(track, start);
    return super.touches(track, from, Math.max(from + 1, this.#warp(track, end)));
  }

  override split(track: number, start: number, end: number): { start: number; end: number; loading: boolean }[] {
    const [from, to] = [this.#warp(track, start), this.#warp(track, end)];
    if (to <= from) return [{ start, end, loading: super.split(track, from, from + 1)[0].loading }];
    const back = (instant: number): number => Math.round(start + ((instant - from) / (to - from)) * (end - start));
    const parts = super.split(track, from, to).map((part) => ({
      start: back(part.start),
      end: back(part.end),
      loading: part.loading,
    }));
    return parts.filter((part) => part.end > part.start);
  }
}
