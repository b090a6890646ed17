// Changes as they were asked for, and what of a trace they are about.
import type { Change } from '../../graph/changes.ts';
import { graphRuns } from '../../graph/graph-runs.ts';
import type { Graph } from '../../graph/graph.ts';
import { type Selection, type Selectors, isEmptySelection } from '../../graph/selectors.ts';
import { knownNames } from './known-names.ts';
import type { AskedChange } from './options.ts';
import type { WhatIfChange, WhatIfUnmatched } from './result.ts';

/** What each change is about; or the first that is about nothing. */
export function describeChanges(
  graph: Graph,
  selectors: Selectors,
  asked: readonly AskedChange[],
): WhatIfChange[] | WhatIfUnmatched {
  const changes: WhatIfChange[] = [];
  for (const each of asked) {
    const described = describe(graph, selectors, each);
    if (described === undefined) return unmatched(graph, selectors, each);
    changes.push(described);
  }
  return changes;
}

/** What a change is about; `undefined` where that is nothing. */
function describe(graph: Graph, selectors: Selectors, { text, change }: AskedChange): WhatIfChange | undefined {
  if (change.kind !== 'scale' && change.kind !== 'remove' && change.kind !== 'overlap') return { text };
  const selection = selectors.select(change.select);
  if (isEmptySelection(selection) || (change.kind === 'overlap' && !hasCollective(graph, selection))) return undefined;
  const count = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);
  const [hostOps, deviceOps, gaps] = [count(selection.host), count(selection.device), count(selection.gapAfter)];
  return { text, hostOps, deviceOps, ...(gaps > 0 ? { gaps } : {}) };
}

const hasCollective = ({ classOf }: Graph, { device }: Selection): boolean =>
  device.some((mark, op) => mark === 1 && classOf[op] === 'collective');

function unmatched(graph: Graph, selectors: Selectors, { text, change }: AskedChange): WhatIfUnmatched {
  if (!('select' in change)) throw new Error('bug: a change without a selector cannot be unmatched');
  const { by } = change.select;
  const others = by === 'name' && change.kind !== 'overlap' ? (['annotation', 'python', 'lane'] as const) : [];
  const elsewhere = others.find((each) => !isEmptySelection(selectors.select({ ...change.select, by: each })));
  return {
    status: 'unmatched',
    change: text,
    by,
    text: change.select.text,
    ...(elsewhere === undefined ? {} : { elsewhere }),
    known: knownNames(graph, change),
  };
}

/** What there is to say of changes that select nothing by name. */
export function changeNotes(graph: Graph, asked: readonly AskedChange[]): string[] {
  return asked.flatMap(({ change }) => noteOf(graph, change));
}

function noteOf(graph: Graph, change: Change): string[] {
  switch (change.kind) {
    case 'graph-launch': {
      const runs = graphRuns(graph, change.shorterThanNs);
      const ops = runs.reduce((sum, run) => sum + run.ops.length, 0);
      return [`${runs.length} runs of small kernels become one graph launch each, instead of ${ops} launches`];
    }
    case 'scale':
    case 'remove':
    case 'launch-latency':
    case 'no-host-gaps':
    case 'overlap':
      return [];
  }
}
