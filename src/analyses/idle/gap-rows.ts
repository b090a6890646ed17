import { type PathRows } from '../../graph/path-rows.ts';
import { referTo } from '../refer.ts';
import type { Scope } from '../scope.ts';
import { type RawReason, ReasonNumbers, reasonOf, textOf } from './reason.ts';
import type { GapLink, IdleGap } from './result.ts';
import type { GapWalk } from './walk-gaps.ts';

/** Rows are made of no more gaps than these: a trace may have a hundred thousand, and the short ones are all alike. */
const MOST_GAPS = 1_000;
const MOST_LINKS = 5;

/** The gaps of a device, of which the longest become rows. */
export interface Ranked {
  readonly walk: GapWalk;
  readonly idleNs: number;
}

/** The longest gaps of all devices. O(n log n). */
export function gapRows(scope: Scope, devices: readonly Ranked[]): IdleGap[] {
  const least = leastLength(devices);
  const found: { at: number; gap: number; start: number; length: number }[] = [];
  for (const [at, { walk }] of devices.entries()) {
    const { length, start, end } = walk.gaps;
    for (let gap = 0; gap < length; gap++) {
      if (end[gap] - start[gap] < least) continue;
      found.push({ at, gap, start: start[gap], length: end[gap] - start[gap] });
    }
  }
  found.sort((a, b) => b.length - a.length || a.start - b.start || a.at - b.at);
  return found.slice(0, MOST_GAPS).map(({ at, gap }) => gapRow(scope, devices[at], gap));
}

/** How long a gap is at least that may become a row: objects are made for no more than these. */
function leastLength(devices: readonly Ranked[]): number {
  const lengths = new Float64Array(devices.reduce((sum, { walk }) => sum + walk.gaps.length, 0));
  let n = 0;
  for (const { walk } of devices) {
    const { length, start, end } = walk.gaps;
    for (let gap = 0; gap < length; gap++) lengths[n++] = end[gap] - start[gap];
  }
  return n <= MOST_GAPS ? 0 : lengths.sort()[n - MOST_GAPS];
}

function gapRow(scope: Scope, { walk, idleNs }: Ranked, gap: number): IdleGap {
  const { graph } = scope;
  const { device, start, end, endedBy, after } = walk.gaps;
  const rows = walk.rowsOf(gap);
  const place = walk.placeOf(gap);
  const drain = walk.drainOf(gap, rows);
  const chain = chainOf(scope, device, rows);
  const totalNs = end[gap] - start[gap];
  const ender = endedBy[gap] === -1 ? undefined : referTo(graph, graph.device.event[endedBy[gap]]);
  return {
    rank: graph.trace.rank ?? 0,
    device,
    window: walk.windowAt(start[gap]).label,
    startNs: start[gap],
    endNs: end[gap],
    totalNs,
    share: idleNs > 0 ? totalNs / idleNs : 0,
    place,
    ...(after[gap] === -1 ? {} : { after: referTo(graph, graph.device.event[after[gap]]) }),
    ...(ender === undefined ? {} : { endedBy: ender }),
    chain,
    otherNs: totalNs - chain.reduce((sum, link) => sum + link.totalNs, 0),
    ...(drain === undefined
      ? {}
      : { drainedBy: { call: referTo(graph, drain.call), waitedFor: referTo(graph, drain.waitedFor) } }),
    ...(ender === undefined ? {} : { explain: `longpole explain ${quoted(graph.trace.file)} e-${ender.event}` }),
  };
}

/** For a shell. */
const quoted = (file: string): string => (/^[\w./+-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`);

interface Draft {
  readonly reason: RawReason;
  total: number;
  most: number;
  event: number;
  ambiguous: boolean;
}

/** Stretches that have one reason are one link; the longest links, in the order in which they begin. */
function chainOf(scope: Scope, device: number, rows: PathRows): GapLink[] {
  const numbers = new ReasonNumbers(scope.graph);
  const drafts = new Map<number, Draft>();
  for (let row = rows.first; row <= rows.last; row++) {
    const length = rows.end[row] - rows.start[row];
    const reason = reasonOf(scope.context(), device, rows, row);
    const key = numbers.of(reason);
    const draft = drafts.get(key) ?? { reason, total: 0, most: -1, event: -1, ambiguous: false };
    drafts.set(key, draft);
    draft.total += length;
    draft.ambiguous ||= rows.ambiguous[row] === 1;
    if (length > draft.most) [draft.most, draft.event] = [length, reason.event];
  }
  const longest = [...drafts.values()].sort((a, b) => b.total - a.total).slice(0, MOST_LINKS);
  return [...drafts.values()]
    .filter((draft) => longest.includes(draft))
    .map(({ reason, total, event, ambiguous }) => ({
      ...textOf(scope.graph, reason),
      totalNs: total,
      ...(event === -1 ? {} : { event: referTo(scope.graph, event) }),
      ...(ambiguous ? { ambiguous: true as const } : {}),
    }));
}
