import type { Graph } from './graph.ts';
import { type Span, hasForeignWork, launchTimes, spanBetween } from './steps.ts';
import { type Window, windowOf } from './windows.ts';

/**
 * Windows of stretches of host time that follow one another, as those of steps: each begins where the one before was complete, the
 * first at its own start. What lies between two stretches belongs to the later one.
 */
export function windowsOfSpans(
  graph: Graph,
  thread: number,
  spans: readonly Pick<Span, 'label' | 'event' | 'start' | 'end'>[],
): Window[] {
  const times = launchTimes(graph);
  let completion = -Infinity;
  return spans.map((each, i): Window => {
    const span = spanBetween(graph, times, each);
    const from = i === 0 ? span.start : completion;
    completion = Math.max(completion, span.end, span.deviceEnd);
    const isComplete = span.lostLaunches === 0 && (i > 0 || !hasForeignWork(graph, span));
    const window = windowOf(graph, span, thread, from, completion, isComplete, -1);
    return { ...window, annotated: false, bounds: { kind: 'range' } };
  });
}

const STEP = /^ProfilerStep\s*#\d+$/;

/** Steps that a writer of 2021 recorded as ops. Empty where there are none. */
export function stepOps({ trace, host }: Graph): {
  thread: number;
  spans: Pick<Span, 'label' | 'event' | 'start' | 'end'>[];
} {
  const { events, strings } = trace;
  const isStep = new Map<number, boolean>();
  const spans: Pick<Span, 'label' | 'event' | 'start' | 'end'>[] = [];
  let thread = -1;
  for (let op = 0; op < host.length; op++) {
    if (host.parent[op] !== -1 || (thread !== -1 && host.thread[op] !== thread)) continue;
    const name = events.name[host.event[op]];
    let known = isStep.get(name);
    if (known === undefined) isStep.set(name, (known = STEP.test(strings.text(name))));
    if (!known) continue;
    thread = host.thread[op];
    spans.push({ label: strings.text(name), event: host.event[op], start: host.start[op], end: host.end[op] });
  }
  return { thread, spans };
}
