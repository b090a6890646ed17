import { naturalOrder } from '../base/natural-order.ts';
import { assignRanks, type JobRanks, type RankClaim } from '../trace/job.ts';
import type { RankCalls } from './model.ts';
import type { RankSummary } from './rank-summary.ts';
import type { Skeleton } from './skeleton.ts';

/** A file of a job, whatever became of it. */
export interface JobFile {
  /** Its name, and that of the folder that it was in. */
  readonly name: string;
  readonly folder: string;
}

export interface MappedFile extends JobFile {
  readonly summary: RankSummary;
}

export interface UnreadFile extends JobFile {
  /** In a line. */
  readonly why: string;
}

export interface JobMember extends JobFile {
  readonly rank: number;
  /** How people know the file: no other one of the job is called the same. */
  readonly file: string;
  readonly summary: RankSummary;
  /** As the summary has them, of this rank. */
  readonly calls: RankCalls;
  readonly skeleton?: Skeleton;
}

/** The ranks of one run, as far as they are here. */
export interface Job extends Omit<JobRanks, 'ranks'> {
  /** Ascending by rank. */
  readonly members: readonly JobMember[];
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

/** Puts together what was made of each file, in whatever order it comes. */
export function assembleJob(mapped: readonly MappedFile[], unread: readonly UnreadFile[]): Job {
  const labelOf = labels([...mapped, ...unread]);
  const sorted = mapped.toSorted(byName);
  const { ranks, ...rest } = assignRanks(sorted.map((each) => claimOf(each, labelOf(each))));
  const members = sorted.map((each, at) => memberOf(each, labelOf(each), ranks[at]));
  return {
    ...rest,
    members: members.sort((a, b) => a.rank - b.rank),
    unread: unread.toSorted(byName).map((each) => ({ file: labelOf(each), why: each.why })),
  };
}

const byName = (a: JobFile, b: JobFile): number => naturalOrder(a.name, b.name) || naturalOrder(a.folder, b.folder);

/** The name; where several files have it, with the folder. */
function labels(files: readonly JobFile[]): (file: JobFile) => string {
  const count = new Map<string, number>();
  for (const { name } of files) count.set(name, (count.get(name) ?? 0) + 1);
  return ({ name, folder }) => (count.get(name) === 1 ? name : `${folder}/${name}`);
}

const claimOf = ({ summary: { claim } }: MappedFile, file: string): RankClaim => ({
  ...claim,
  file,
  startUnixNs: BigInt(claim.startUnixNs),
  endUnixNs: BigInt(claim.endUnixNs),
});

function memberOf({ name, folder, summary }: MappedFile, file: string, rank: number): JobMember {
  const { calls, skeleton } = summary;
  return {
    name,
    folder,
    rank,
    file,
    summary,
    calls: { ...calls, rank },
    ...(skeleton === undefined ? {} : { skeleton: { ...skeleton, rank } }),
  };
}
