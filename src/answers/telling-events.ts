import { EVENT_KINDS, type Timeline } from '../protocol/timeline.ts';

/** Of what is `kept`: the events of the path by their time on it, then the longest of what works; at most `most`. */
export function tellingEvents(timeline: Timeline, kept: ReadonlySet<number>, most: number): number[] {
  const { pathStart, pathEnd, pathPosition, start, end, position, kind } = timeline;
  const onPath = new Map<number, number>();
  pathPosition.forEach((at, s) => {
    if (kept.has(at)) onPath.set(at, (onPath.get(at) ?? 0) + pathEnd[s] - pathStart[s]);
  });
  const chosen = [...onPath].sort(([a, timeA], [b, timeB]) => timeB - timeA || a - b).map(([at]) => at);
  if (chosen.length >= most) return chosen.slice(0, most);
  const rest: number[] = [];
  for (let e = 0; e < start.length; e++) {
    if (WORK.has(kind[e]) && kept.has(position[e]) && !onPath.has(position[e])) rest.push(e);
  }
  rest.sort((a, b) => end[b] - start[b] - (end[a] - start[a]) || a - b);
  return [...chosen, ...rest.slice(0, most - chosen.length).map((e) => position[e])];
}

/** What has a story: device work, ops and calls. */
const WORK: ReadonlySet<number> = new Set(
  (['kernel', 'collective', 'copy', 'device-other', 'op', 'call'] as const).map((kind) => EVENT_KINDS.indexOf(kind)),
);
