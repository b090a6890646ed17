// The segments of a job's path, down to single events: the ranks that it visits are read again for them.
import { openScope, type ScopeOptions } from '../../analyses/scope.ts';
import { referTo } from '../../analyses/refer.ts';
import type { EventReference } from '../../analyses/reference.ts';
import type { JobPaths } from '../../fleet/job-analysis.ts';
import type { JobMember } from '../../fleet/job.ts';
import { type OpenSegment, openJobPath } from '../../fleet/job-path-open.ts';
import type { PathContext } from '../../graph/path.ts';
import { createSession } from '../../library/session.ts';
import { openTrace } from '../open-node.ts';
import { rowsByPosition } from '../../answers/event-details.ts';
import type { MapFileOptions } from './map-rank-file.ts';
import type { RankFile } from './rank-files.ts';

/** So many ranks are held open at once; a path that visits more stays as the skeletons have it on the others. */
const MOST_OPEN = 8;

/** A segment with the event as every result names one. */
export type NamedSegment = Omit<OpenSegment, 'event'> & {
  readonly event?: EventReference | { readonly event: number };
};

/** In order of time; they partition the windows. `unopened`: ranks of which it could not be read what happened. */
export async function openPaths(
  { graph, paths }: JobPaths,
  members: readonly JobMember[],
  files: readonly RankFile[],
  options: MapFileOptions,
): Promise<{ readonly segments: readonly NamedSegment[]; readonly unopened: readonly number[] }> {
  const visited = ranksByTime(paths);
  const contexts = new Map<number, PathContext>();
  for (const rank of visited.slice(0, MOST_OPEN)) {
    const member = members.find((each) => each.rank === rank);
    const file = files.find(({ name, folder }) => name === member?.name && folder === member.folder);
    const context = file === undefined ? undefined : await contextOf(file, options);
    if (context !== undefined) contexts.set(rank, context);
  }
  const rowOf = new Map(
    [...contexts].map(
      ([
        rank,
        {
          graph: { trace },
        },
      ]) => [rank, rowsByPosition(trace)],
    ),
  );
  const segments = paths.flatMap((path) => openJobPath(graph, path, (rank) => contexts.get(rank)));
  return {
    segments: segments.map(({ event, ...rest }): NamedSegment => {
      if (event === -1) return rest;
      const context = contexts.get(rest.rank);
      const row = rowOf.get(rest.rank)?.(event);
      return { ...rest, event: context === undefined || row === undefined ? { event } : referTo(context.graph, row) };
    }),
    unopened: visited.filter((rank) => !contexts.has(rank)),
  };
}

/** Those with most of the path come first. */
function ranksByTime(paths: JobPaths['paths']): number[] {
  const time = new Map<number, number>();
  for (const { segments } of paths) {
    for (const { kind, rank, startNs, endNs } of segments) {
      if (kind === 'in-rank') time.set(rank, (time.get(rank) ?? 0) + endNs - startNs);
    }
  }
  return [...time].sort(([a, m], [b, n]) => n - m || a - b).map(([rank]) => rank);
}

async function contextOf({ path, name }: RankFile, options: MapFileOptions): Promise<PathContext | undefined> {
  const { skip, maxBytes, ...scope } = options;
  const read = await openTrace(path, {
    file: name,
    ...(skip === undefined ? {} : { skip }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  if (!read.ok) return undefined;
  const opened = openScope(createSession(read.value).subject, scope satisfies ScopeOptions);
  return opened.status === 'ok' ? opened.result.context() : undefined;
}
