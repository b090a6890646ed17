import { CONSTRAINT_KINDS } from '../../graph/constraints.ts';
import { type Forecast, chainOf } from '../../graph/forecast.ts';
import type { Graph } from '../../graph/graph.ts';
import type { AssumedLag } from './result.ts';

/** Constraints on the new path that did not bind before: by kind, call and lag. */
export function assumedLags(before: Graph, { graph, windows }: Forecast): AssumedLag[] {
  const groups = new Map<string, { -readonly [Key in keyof AssumedLag]: AssumedLag[Key] }>();
  const seen = new Set<number>();
  for (const window of windows) {
    for (const c of chainOf(graph, window)) {
      const kind = CONSTRAINT_KINDS[graph.constraints.kind[c]];
      if (kind === undefined || before.binding[graph.constraints.to[c]] === c || seen.has(c)) continue;
      seen.add(c);
      const api = apiOf(before, graph.constraints.to[c]);
      const lagNs = before.typical[c];
      const key = `${kind} ${api ?? ''} ${lagNs}`;
      const known = groups.get(key);
      if (known !== undefined) known.count++;
      else groups.set(key, { kind, ...(api === undefined ? {} : { api }), lagNs, count: 1 });
    }
  }
  return [...groups.values()].sort(
    (a, b) => b.count - a.count || compare(a.kind, b.kind) || compare(a.api ?? '', b.api ?? '') || a.lagNs - b.lagNs,
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function apiOf({ trace, host, device, moments }: Graph, moment: number): string | undefined {
  const call = moments.isHost(moment) ? moments.hostOp(moment) : device.call[moments.deviceOp(moment)];
  return call === -1 ? undefined : trace.strings.text(trace.events.name[host.event[call]]);
}
