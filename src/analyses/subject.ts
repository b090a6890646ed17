import { graphOptionsOf } from '../graph/graph-options.ts';
import { buildGraph } from '../graph/graph.ts';
import type { Trace } from '../trace/trace.ts';
import type { Subject } from './contract.ts';

/** A trace with all that was derived from it so far, kept as long as it is. */
export function createSubject(trace: Trace): Subject {
  const made = new Map<string, unknown>();
  const once: Subject['once'] = (key, make) => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as ReturnType<typeof make>;
  };
  const graph: Subject['graph'] = (options = {}) =>
    once(`graph ${JSON.stringify(graphOptionsOf(options))}`, () => buildGraph(trace, options));
  return { trace, graph, once };
}
