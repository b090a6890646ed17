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
