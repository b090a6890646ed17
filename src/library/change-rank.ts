import { changeNotes, describeChanges } from '../analyses/what-if/asked.ts';
import { holdOutOfTrace } from '../analyses/what-if/hold-out-windows.ts';
import type { AskedChange } from '../analyses/what-if/options.ts';
import type { HoldOutResult, WhatIfChange, WhatIfUnmatched } from '../analyses/what-if/result.ts';
import { untoldNotes } from '../analyses/what-if/untold.ts';
import { warpedContext } from '../analyses/what-if/warp.ts';
import { coverageNotes } from '../analyses/notes.ts';
import { openScope, type ScopeOptions } from '../analyses/scope.ts';
import type { ChangedRank } from '../fleet/balance.ts';
import { rankCalls } from '../fleet/calls.ts';
import type { RankCalls } from '../fleet/model.ts';
import { changedSkeletonOf } from '../fleet/skeleton-of.ts';
import type { Graph } from '../graph/graph.ts';
import { summarizeHoldOut } from '../graph/hold-out.ts';
import { Selectors } from '../graph/selectors.ts';
import type { Trace } from '../trace/trace.ts';
import { windowsToKeep } from './map-rank.ts';
import { createSession } from './session.ts';

/** What changes make of one rank of a job. */
export type RankForecast =
  | {
      readonly status: 'changed';
      readonly after: ChangedRank;
      /** In the order in which they were asked for; `unmatched` are about nothing on this rank, and left out. */
      readonly changes: readonly WhatIfChange[];
      readonly unmatched: readonly WhatIfUnmatched[];
      readonly holdOut: HoldOutResult;
      readonly notes: readonly string[];
    }
  /** It cannot be said what the job would do. */
  | { readonly status: 'refused'; readonly reason: string };

/**
 * The rank as `mapRank` keeps it, after changes within it. A collective's length is what other ranks move, so of those that are scaled the
 * transfer is. Pure.
 */
export function changeRank(trace: Trace, options: ScopeOptions, all: readonly AskedChange[]): RankForecast {
  const opened = openScope(createSession(trace).subject, options);
  if (opened.status !== 'ok') return { status: 'refused', reason: opened.reason };
  const scope = opened.result;
  const { graph } = scope;
  const selectors = new Selectors(graph);
  const asked: AskedChange[] = [];
  const changes: WhatIfChange[] = [];
  const unmatched: WhatIfUnmatched[] = [];
  for (const each of all) {
    const described = describeChanges(graph, selectors, [each]);
    if ('status' in described) unmatched.push(described);
    else {
      asked.push(each);
      changes.push(...described);
    }
  }
  const calls = rankCalls(graph, trace.rank ?? 0);
  const transfers = transfersOf(graph, calls, selectors, asked);
  if (typeof transfers === 'string') return { status: 'refused', reason: transfers };
  const before = scope.context();
  const extra = options.dataLoading === undefined ? undefined : new RegExp(options.dataLoading);
  const skeleton = changedSkeletonOf(
    graph,
    calls,
    asked.map(({ change }) => change),
    windowsToKeep(scope, options),
    (after) => warpedContext(before, after, extra),
  );
  return {
    status: 'changed',
    after: { skeleton, transferFactor: transfers },
    changes,
    unmatched,
    holdOut: summarizeHoldOut(holdOutOfTrace(graph, scope.windows)),
    notes: [...changeNotes(graph, asked), ...untoldNotes(graph), ...coverageNotes(graph)],
  };
}

/** By call the product of what its kernels are scaled by; or why the job cannot be replayed. */
function transfersOf(
  { device }: Graph,
  { calls }: RankCalls,
  selectors: Selectors,
  asked: readonly AskedChange[],
): Float64Array | string {
  const factors = new Float64Array(calls.length).fill(1);
  for (const { text, change } of asked) {
    if (change.kind !== 'scale' && change.kind !== 'remove') continue;
    const selection = selectors.select(change.select);
    for (const [call, { events }] of calls.entries()) {
      const ops = events.map((event) => device.opOfEvent[event]).filter((op) => op !== -1);
      const taken = ops.filter(
        (op) =>
          selection.device[op] === 1 ||
          (change.kind === 'remove' && device.call[op] !== -1 && selection.host[device.call[op]] === 1),
      );
      if (taken.length === 0) continue;
      if (change.kind === 'remove') {
        return `${text} takes away collectives, in which other ranks meet; of several ranks they can be scaled: --scale kind:collective=0`;
      }
      if (taken.length < ops.length) return `${text} is about some kernels of a call and not about others`;
      factors[call] *= change.factor;
    }
  }
  return factors;
}
