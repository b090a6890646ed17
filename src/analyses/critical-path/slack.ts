import { lazyFields } from '../../base/lazy.ts';
import type { Graph } from '../../graph/graph.ts';
import type { WindowTerms } from '../../graph/instants.ts';
import { latestMoments, slackOf } from '../../graph/slack.ts';
import type { Window } from '../../graph/windows.ts';
import { computeLeverage } from './leverage.ts';
import type { Slack } from './result.ts';

/** Against the end of the last window. Nothing for a range, whose end is fixed. */
export function slackOfWindows(
  graph: Graph,
  { windows, terms }: { readonly windows: readonly Window[]; readonly terms: readonly WindowTerms[] | undefined },
): { slack?: Slack } {
  if (terms === undefined) return {};
  const { host, device, moments, trace } = graph;
  const [from, to] = [windows[0].start, windows[windows.length - 1].end];
  const latest = latestMoments(graph, terms[terms.length - 1].end);
  const events: { event: number; slackNs: number }[] = [];
  let unlimited = 0;
  const add = (event: number, start: number, end: number, endMoment: number): void => {
    if (end <= from || start >= to) return;
    const slackNs = slackOf(graph, latest, endMoment);
    if (slackNs === Infinity) unlimited++;
    else events.push({ event: trace.events.position[event], slackNs });
  };
  for (let op = 0; op < host.length; op++) add(host.event[op], host.start[op], host.end[op], 2 * op + 1);
  for (let op = 0; op < device.length; op++) {
    add(device.event[op], device.start[op], device.end[op], moments.endOfOp(op));
  }
  events.sort((a, b) => a.slackNs - b.slackNs || a.event - b.event);
  const slack: Slack = { events, unlimited, leverage: [] };
  // Many replays, which who asks for slack alone does not need.
  return { slack: lazyFields(slack, { leverage: () => computeLeverage(graph, windows, terms) }) };
}
