// Which files are the ranks of one run: rules over what files say of themselves. Nothing here reads a file.

/** Who says the ranks of a job, from the most to the least trustworthy. */
export const RANK_SOURCES = ['distributed-info', 'file-name', 'rank-arg', 'order'] as const;
export type JobRankSource = (typeof RANK_SOURCES)[number];

/** What one file says of its place in a job. */
export interface RankClaim {
  /** As people know the file; not empty, and no other file of the job has the same. */
  readonly file: string;
  /** `distributedInfo.rank`. */
  readonly traceRank?: number;
  readonly worldSize?: number;
  /** `rank3`, `rank-3`, `worker3` in its name. */
  readonly nameRank?: number;
  /** The `Rank` that all of its communication rows have, where they have the same. */
  readonly argRank?: number;
  /** Members of the group of all ranks, as a text that is the same for the same ones; '' where the trace does not list them. */
  readonly world: string;
  /** From the first to the last event, ns since 1970. Equal where there are no events. */
  readonly startUnixNs: bigint;
  readonly endUnixNs: bigint;
}

/** Ranks `first` to `last`, both among them. */
export interface RankSpan {
  readonly first: number;
  readonly last: number;
}

export interface JobRanks {
  readonly from: JobRankSource;
  /** The rank of each claim, in the order of claims. */
  readonly ranks: readonly number[];
  /** How many ranks the run had; undefined where no file tells. */
  readonly worldSize: number | undefined;
  /** Of the run (of 0 to the largest rank, where its size is not known) those that no file is of; none where `mixed` says that there is no one run. */
  readonly missing: readonly RankSpan[];
  /** Why these files are not of one run, a sentence each; empty where nothing speaks against it. */
  readonly mixed: readonly string[];
}

/** Clocks of hosts may be minutes apart; runs that are more than this apart are two. */
const APART_NS = 3_600_000_000_000n;

/** Finds the rank of each file. `claims`: at least one, in the order in which people would list their files. */
export function assignRanks(claims: readonly RankClaim[]): JobRanks {
  const { from, ranks } = ranksOf(claims);
  const worldSize = worldSizeOf(claims, from);
  const mixed = reasonsAgainst(claims, from);
  // Of files of several runs nobody says which ranks they are, so none is missing either.
  return { from, ranks, worldSize, missing: mixed.length > 0 ? [] : missingRanks(ranks, worldSize), mixed };
}

function ranksOf(claims: readonly RankClaim[]): { from: JobRankSource; ranks: readonly number[] } {
  const told = [
    { from: 'distributed-info', ranks: claims.map(({ traceRank }) => traceRank) },
    { from: 'file-name', ranks: claims.map(({ nameRank }) => nameRank) },
    { from: 'rank-arg', ranks: claims.map(({ argRank }) => argRank) },
  ] as const;
  for (const { from, ranks } of told) if (isDistinct(ranks)) return { from, ranks };
  return { from: 'order', ranks: claims.map((_, at) => at) };
}

/** Every file says one, and no two the same. */
const isDistinct = (ranks: readonly (number | undefined)[]): ranks is readonly number[] =>
  ranks.every((rank) => rank !== undefined) && new Set(ranks).size === ranks.length;

/** Files that each say "one of one" say nothing of a job that their names make them part of. */
function worldSizeOf(claims: readonly RankClaim[], from: JobRankSource): number | undefined {
  const sizes = claims.flatMap(({ worldSize }) => (worldSize === undefined ? [] : [worldSize]));
  const largest = Math.max(0, ...sizes);
  if (largest === 0 || (largest === 1 && claims.length > 1 && from !== 'distributed-info')) return undefined;
  return largest;
}

function missingRanks(ranks: readonly number[], worldSize: number | undefined): RankSpan[] {
  const seen = ranks.toSorted((a, b) => a - b);
  const end = Math.max(worldSize ?? 0, (seen.at(-1) ?? -1) + 1);
  const spans: RankSpan[] = [];
  let next = 0;
  for (const rank of [...seen, end]) {
    if (rank > next) spans.push({ first: next, last: rank - 1 });
    next = Math.max(next, rank + 1);
  }
  return spans;
}

function reasonsAgainst(claims: readonly RankClaim[], from: JobRankSource): string[] {
  if (claims.length < 2) return [];
  return [
    ...againstRanks(claims, from),
    ...againstSizes(claims, from),
    ...againstWorlds(claims),
    ...againstTimes(claims),
  ];
}

/** Several files of one rank: captures of one process after the other, or runs on one device each. */
function againstRanks(claims: readonly RankClaim[], from: JobRankSource): string[] {
  if (from !== 'order') return [];
  const byRank = new Map<number, string[]>();
  for (const { traceRank, nameRank, file } of claims) {
    const rank = traceRank ?? nameRank;
    if (rank !== undefined) byRank.set(rank, [...(byRank.get(rank) ?? []), file]);
  }
  const [shared] = [...byRank].filter(([, files]) => files.length > 1);
  if (shared === undefined) return [];
  const [rank, [first, second, ...others]] = shared;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return [`${first} and ${second}${more} all say that they are rank ${rank}`];
}

function againstSizes(claims: readonly RankClaim[], from: JobRankSource): string[] {
  const byName = from === 'file-name';
  const said = claims.flatMap(({ worldSize }) => (worldSize === undefined ? [] : [worldSize]));
  const sizes = new Set(byName ? said.filter((size) => size > 1) : said);
  return sizes.size < 2 ? [] : [`they are of runs of ${listed(sizes)} ranks`];
}

function againstWorlds(claims: readonly RankClaim[]): string[] {
  const worlds = new Set(claims.flatMap(({ world }) => (world === '' ? [] : [world])));
  return worlds.size < 2 ? [] : ['the group of all ranks has other members in some than in others'];
}

const listed = (numbers: ReadonlySet<number>): string => {
  const sorted = [...numbers].sort((a, b) => a - b).map(String);
  return sorted.length < 2 ? sorted.join('') : `${sorted.slice(0, -1).join(', ')} and ${sorted.at(-1)}`;
};

function againstTimes(claims: readonly RankClaim[]): string[] {
  const timed = claims
    .filter(({ startUnixNs, endUnixNs }) => endUnixNs > startUnixNs)
    .toSorted((a, b) => (a.startUnixNs < b.startUnixNs ? -1 : a.startUnixNs > b.startUnixNs ? 1 : 0));
  let [latest] = timed;
  for (const claim of timed) {
    const gap = claim.startUnixNs - latest.endUnixNs;
    if (gap > APART_NS) return [`${claim.file} begins ${hours(gap)} after ${latest.file} ended`];
    if (claim.endUnixNs > latest.endUnixNs) latest = claim;
  }
  return [];
}

function hours(ns: bigint): string {
  const count = Number(ns / 3_600_000_000_000n);
  return count < 48 ? `${count} h` : `${Math.floor(count / 24)} days`;
}
