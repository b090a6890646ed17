import type { Change } from '../../graph/changes.ts';
import type { Graph } from '../../graph/graph.ts';
import { RowKind } from '../../trace/kinds.ts';

const MOST_NAMES = 2_000;

/** What a selector could have named in this trace: by time spent, the most first. */
export function knownNames(graph: Graph, change: Extract<Change, { readonly select: unknown }>): string[] {
  const { trace, host, device, calls, classOf } = graph;
  const totals = new Map<string, number>();
  const add = (name: string, ns: number): unknown => totals.set(name, (totals.get(name) ?? 0) + ns);
  const nameOf = (event: number): string => trace.strings.text(trace.events.name[event]);
  switch (change.kind === 'overlap' ? 'collective' : change.select.by) {
    case 'kind':
      for (let op = 0; op < host.length; op++) add(Number.isNaN(calls.key[op]) ? 'op' : 'call', 0);
      for (const kind of classOf) add(kind, 0);
      break;
    case 'lane':
      for (const { name } of device.lanes) totals.set(name, 0);
      break;
    case 'annotation':
      addRows(graph, RowKind.annotation, add);
      break;
    case 'python':
      addRows(graph, RowKind.python, add);
      break;
    case 'collective':
      for (let op = 0; op < device.length; op++) {
        if (classOf[op] === 'collective') add(nameOf(device.event[op]), device.end[op] - device.start[op]);
      }
      break;
    case 'name':
      for (let op = 0; op < host.length; op++) add(nameOf(host.event[op]), host.end[op] - host.start[op]);
      for (let op = 0; op < device.length; op++) add(nameOf(device.event[op]), device.end[op] - device.start[op]);
      break;
  }
  return [...totals]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(([name]) => name);
}

function addRows({ trace }: Graph, kind: RowKind, add: (name: string, ns: number) => unknown): void {
  const { events, categories, strings } = trace;
  for (let e = 0; e < events.length; e++) {
    if (categories[events.category[e]].kind === kind) add(strings.text(events.name[e]), events.dur[e]);
  }
}
