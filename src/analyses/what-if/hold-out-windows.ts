import type { Graph } from '../../graph/graph.ts';
import { type HoldOutPair, holdOut } from '../../graph/hold-out.ts';
import { termsOfWindows } from '../../graph/instants.ts';
import { type Window, findWindows } from '../../graph/windows.ts';

/** Enough for a median, few enough not to be waited for: 8 steps are 56 forecasts. */
const MOST_STEPS = 8;
/** Of many instances of an annotation, the first. */
const MOST_WINDOWS = 64;

/** The windows that are asked about foretell each other; where there is only one of a kind, the trace's complete steps do. */
export function holdOutOfTrace(graph: Graph, windows: readonly Window[]): HoldOutPair[] {
  const own = pairsOf(graph, windows);
  if (own.length > 0) return own;
  const steps = findWindows(graph, { kind: 'steps', first: 0, last: Infinity });
  return steps.ok ? pairsOf(graph, steps.windows) : [];
}

function pairsOf(graph: Graph, windows: readonly Window[]): HoldOutPair[] {
  const whole = windows
    .filter(({ complete, bounds }) => complete && bounds.kind === 'annotation')
    .slice(0, MOST_WINDOWS);
  const terms = termsOfWindows(graph, whole);
  return whole.length < 2 || terms === undefined ? [] : holdOut(graph, whole, terms, { mostSteps: MOST_STEPS });
}
