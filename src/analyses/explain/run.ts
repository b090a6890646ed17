import type { Graph } from '../../graph/graph.ts';
import { openBetween } from '../../graph/workers.ts';
import type { Places } from './places.ts';
import type { CollapsedRun, RunPart } from './result.ts';

const PARTS = 3;

interface Draft {
  readonly name: string;
  readonly isGap: boolean;
  /** Ops, or those that gaps come before: an op may go on in several stretches. */
  readonly events: Set<number>;
  total: number;
  /** Of the longest: its length, and its event or, of a gap, the event after it. */
  most: number;
  event: number;
}

/** What the time of a run went into. `run`: constraints, each on the source of the one before. */
export function describeRun(graph: Graph, places: Places, run: readonly number[]): CollapsedRun {
  const { constraints, moments, time } = graph;
  const isHost = moments.isHost(constraints.to[run[0]]);
  const drafts = new Map<string, Draft>();
  const add = (name: string, isGap: boolean, length: number, event: number): void => {
    if (length <= 0) return;
    const key = `${isGap} ${name}`;
    const draft = drafts.get(key) ?? { name, isGap, events: new Set(), total: 0, most: 0, event };
    drafts.set(key, draft);
    draft.events.add(event);
    draft.total += length;
    if (length > draft.most) [draft.most, draft.event] = [length, event];
  };
  let ops = 0;
  for (const [i, constraint] of run.entries()) {
    const [from, to] = [constraints.from[constraint], constraints.to[constraint]];
    if (isHost) {
      if (moments.isStart(to) && i > 0) ops++;
      addHost(graph, places, from, to, add);
      continue;
    }
    add('', true, time[to] - time[from], places.eventOfMoment(to));
    if (i === run.length - 1) continue;
    ops++;
    const op = moments.deviceOp(from);
    add(
      nameOf(graph, graph.device.event[op]),
      false,
      graph.device.end[op] - graph.device.start[op],
      graph.device.event[op],
    );
  }
  const parts = [...drafts.values()].sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const last = run[run.length - 1];
  return {
    links: run.length,
    ops,
    totalNs: time[constraints.to[run[0]]] - time[constraints.from[last]],
    parts: parts.slice(0, PARTS).map(({ name, isGap, events, total, event }): RunPart => ({
      name,
      ...(isGap ? { gap: true as const } : {}),
      count: events.size,
      totalNs: total,
      longest: places.refer(event),
    })),
  };
}

/** The stretch between two moments of a thread lies inside the innermost op that is open, or between ops. */
function addHost(
  { host, time, trace, moments }: Graph,
  places: Places,
  from: number,
  to: number,
  add: (name: string, isGap: boolean, length: number, event: number) => void,
): void {
  const open = openBetween(host, from);
  const length = time[to] - time[from];
  if (open !== -1) {
    add(trace.strings.text(trace.events.name[host.event[open]]), false, length, host.event[open]);
    return;
  }
  const { track } = host.threads[host.thread[moments.hostOp(to)]];
  add(places.frameAt(track, Math.floor((time[from] + time[to]) / 2)) ?? '', true, length, places.eventOfMoment(to));
}

const nameOf = ({ trace }: Graph, event: number): string => trace.strings.text(trace.events.name[event]);
