import { analysisOf } from '../analyses/registry.ts';
import type { ClassTime, DeviceBreakdown, WorkClass } from '../analyses/breakdown/result.ts';
import type { InfoRank } from '../analyses/info/result.ts';
import { openScope, type Scope, type ScopeOptions } from '../analyses/scope.ts';
import { rankCalls } from '../fleet/calls.ts';
import { shortList } from '../fleet/groups.ts';
import type { RankCalls } from '../fleet/model.ts';
import type { DeviceTimes, RankSummary, RankWindow } from '../fleet/rank-summary.ts';
import { skeletonOf, skeletonWindows } from '../fleet/skeleton-of.ts';
import { graphOptionsOf } from '../graph/graph-options.ts';
import type { Window } from '../graph/windows.ts';
import { rankOfFileName } from '../ingest/trace-facts.ts';
import type { Trace } from '../trace/trace.ts';
import { createSession } from './session.ts';

/** How a rank is looked at: as a report of it alone would be. */
export type MapOptions = ScopeOptions;

/** What a job needs of one rank. Pure: the same trace and options give the same summary, on whatever machine. */
export function mapRank(trace: Trace, options: MapOptions = analysisOf('critical-path').defaults): RankSummary {
  const session = createSession(trace);
  const info = session.run('info', graphOptionsOf(options));
  if (info.status !== 'ok') throw new Error(`bug: info has no answer: ${info.reason}`);
  const [rank] = info.result.ranks;
  const times = session.run('breakdown', options);
  const calls = rankCalls(session.subject.graph(graphOptionsOf(options)), trace.rank ?? 0);
  const scope = openScope(session.subject, options);
  return {
    claim: claimOf(trace, rank, calls),
    info: rank,
    diagnostics: trace.diagnostics,
    windows: scope.status === 'ok' ? scope.result.windows.map(windowOf) : [],
    devices: times.status === 'ok' ? times.result.devices.map(deviceTimes) : [],
    calls,
    ...(scope.status === 'ok'
      ? {
          skeleton: skeletonOf(scope.result.graph, calls, windowsToKeep(scope.result, options), scope.result.context()),
        }
      : { noPath: scope.reason }),
  };
}

/** Of steps all, so that a job has the begin of each; a range is none that other ranks have. */
export const windowsToKeep = ({ graph, windows }: Scope, { window }: MapOptions): readonly Window[] =>
  window.kind === 'annotation' ? windows : skeletonWindows(graph);

const windowOf = ({ label, start, end, complete }: Window): RankWindow => ({
  label,
  startNs: start,
  endNs: end,
  complete,
});

function claimOf(trace: Trace, { spanNs }: InfoRank, { groups }: RankCalls): RankSummary['claim'] {
  const { rank, rankFrom, worldSize, file, originUnixNs } = trace;
  const nameRank = rankOfFileName(file);
  const argRank = constantRank(trace);
  const world = groups.find(({ name, description }) => name === '0' || description === 'default_pg')?.ranks;
  return {
    ...(rankFrom === 'distributed-info' && rank !== undefined ? { traceRank: rank } : {}),
    ...(worldSize === undefined ? {} : { worldSize }),
    ...(nameRank === undefined ? {} : { nameRank }),
    ...(argRank === undefined ? {} : { argRank }),
    world: world === undefined ? '' : shortList(world),
    startUnixNs: String(originUnixNs),
    endUnixNs: String(originUnixNs + BigInt(Math.max(0, spanNs))),
  };
}

/** The `Rank` of the rows of collectives, where all that have one have the same. */
function constantRank({ collectives: { rank } }: Trace): number | undefined {
  let found: number | undefined;
  for (let row = 0; row < rank.length; row++) {
    if (rank[row] < 0) continue;
    if (found !== undefined && rank[row] !== found) return undefined;
    found = rank[row];
  }
  return found;
}

function deviceTimes({ device, classes, idleNs }: DeviceBreakdown): DeviceTimes {
  const of = (wanted: WorkClass): Pick<ClassTime, 'totalNs' | 'exposedNs'> =>
    classes.find((each) => each.class === wanted) ?? { totalNs: 0, exposedNs: 0 };
  return {
    device,
    computationNs: of('computation').totalNs,
    communicationNs: of('communication').totalNs,
    exposedNs: of('communication').exposedNs,
    copyNs: of('copy').totalNs,
    idleNs,
  };
}
