// The path across ranks as plain data: what it is made of, and from rank to rank.
import { SEGMENT_KINDS, type SegmentKind } from '../graph/segments.ts';
import type { JobPaths, Replayed } from './job-analysis.ts';
import type { Arrival, JobPath, JobSegment } from './job-path.ts';
import { partsOf } from './skeleton.ts';

/** What time of a job's path went into: as on one rank, and `transfer` from a call's last arrival to its end; `in-rank`: not known. */
export type JobPathKind = SegmentKind | 'transfer' | 'in-rank';

export interface JobPathRow {
  readonly kind: JobPathKind;
  readonly totalNs: number;
  /** Of the wall time, 0…1. */
  readonly share: number;
}

/** A stretch of the path on one rank, until it goes on to another one. */
export interface JobLeg {
  readonly rank: number;
  /** Since the first window's start, ns. */
  readonly startNs: number;
  readonly endNs: number;
  /** What it is made of, the most first. */
  readonly kinds: readonly JobPathRow[];
  /** The handle of the event of its longest segment, `e-24`; absent where none is known. */
  readonly event?: number;
  /** Why the path comes to the next leg's rank: the call that this rank was the last to reach. Absent at the end. */
  readonly left?: Arrival;
}

export interface JobPathAnswer {
  readonly windows: readonly {
    readonly label: string;
    readonly startNs: number;
    readonly endNs: number;
    readonly wallNs: number;
    readonly complete: boolean;
  }[];
  /** Σ of the windows, = Σ `breakdown` = Σ `byRank` = Σ `legs`. */
  readonly totalNs: number;
  readonly breakdown: readonly JobPathRow[];
  /** Ranks by their time on the path, the most first. */
  readonly byRank: readonly { readonly rank: number; readonly totalNs: number; readonly share: number }[];
  /** In order of time. */
  readonly legs: readonly JobLeg[];
  readonly notes: readonly string[];
}

/** Times are since the first window's start, so that no clock's zero shows. */
export function pathAnswer({ windows, paths: walked, notes, ...job }: JobPaths): JobPathAnswer {
  const startNs = Math.round(windows[0]?.startNs ?? 0);
  const paths = walked.map((path) => ({ ...path, segments: path.segments.map((each) => withParts(job, each)) }));
  const all = paths.flatMap(({ segments }) => segments);
  const isCut = walked.some(({ segments }) =>
    segments.some((each) => each.kind === 'in-rank' && each.parts === undefined),
  );
  const totalNs = all.reduce((sum, segment) => sum + lengthOf(segment), 0);
  return {
    windows: windows.map(({ label, startNs: from, endNs: to, complete }) => ({
      label,
      startNs: Math.round(from) - startNs,
      endNs: Math.round(to) - startNs,
      wallNs: Math.round(to) - Math.round(from),
      complete,
    })),
    totalNs,
    breakdown: kindsOf(all, totalNs),
    byRank: ranksOf(all, totalNs),
    legs: paths.flatMap((path) => legsOf(path, startNs)),
    notes: isCut ? [...notes, CUT_NOTE] : notes,
  };
}

/** One event's part of the path: since the first window's start, whole ns. */
interface Piece {
  readonly rank: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly kind: JobPathKind;
}

/** The answer from the path's own segments, which partition it: nothing is in proportion then. */
export function withSegments(answer: JobPathAnswer, segments: readonly Piece[]): JobPathAnswer {
  let next = 0;
  const legs = answer.legs.map((leg) => {
    const from = next;
    while (next < segments.length && segments[next].endNs <= leg.endNs) next++;
    return { ...leg, kinds: rowsOf(segments.slice(from, next), leg.endNs - leg.startNs) };
  });
  const notes = answer.notes.filter((note) => note !== CUT_NOTE);
  return { ...answer, breakdown: rowsOf(segments, answer.totalNs), legs, notes };
}

function rowsOf(segments: readonly Piece[], wholeNs: number): JobPathRow[] {
  const byKind = new Map<JobPathKind, number>();
  for (const { kind, startNs, endNs } of segments) byKind.set(kind, (byKind.get(kind) ?? 0) + endNs - startNs);
  return sortedRows(byKind, wholeNs);
}

const CUT_NOTE =
  'what began before its window is taken apart in proportion: critical-path reads the ranks again and has it exactly';

/** Of a stretch of which only the rest lies in the window, the parts that the whole has, in proportion. */
function withParts({ graph, times }: Replayed, segment: JobSegment): JobSegment {
  if (segment.kind !== 'in-rank' || segment.parts !== undefined) return segment;
  const at = graph.ranks.findIndex(({ calls }) => calls.rank === segment.rank);
  const { firstPart, partKind, partNs } = partsOf(graph.ranks[at].skeleton);
  const entry = times.by[graph.first[at] + segment.to];
  const whole: { kind: SegmentKind; ns: number }[] = [];
  for (let part = firstPart[entry]; part < firstPart[entry + 1]; part++) {
    whole.push({ kind: SEGMENT_KINDS[partKind[part]], ns: partNs[part] });
  }
  const sum = whole.reduce((total, { ns }) => total + ns, 0);
  if (!(sum > 0)) return segment;
  return { ...segment, parts: whole.map(({ kind, ns }) => ({ kind, ns: Math.round((ns * segment.lengthNs) / sum) })) };
}

/** Whole ns: segments that meet still do. */
const lengthOf = ({ startNs, endNs }: JobSegment): number => Math.round(endNs) - Math.round(startNs);

function kindsOf(segments: readonly JobSegment[], wholeNs: number): JobPathRow[] {
  const byKind = new Map<JobPathKind, number>();
  const add = (kind: JobPathKind, ns: number): void => void byKind.set(kind, (byKind.get(kind) ?? 0) + ns);
  for (const segment of segments) {
    if (segment.kind !== 'in-rank') add(segment.kind, lengthOf(segment));
    else if (segment.parts === undefined) add('in-rank', lengthOf(segment));
    else for (const { kind, ns } of scaled(segment.parts, lengthOf(segment))) add(kind, ns);
  }
  return sortedRows(byKind, wholeNs);
}

const sortedRows = (byKind: ReadonlyMap<JobPathKind, number>, wholeNs: number): JobPathRow[] =>
  [...byKind]
    .filter(([, totalNs]) => totalNs !== 0)
    .map(([kind, totalNs]) => ({ kind, totalNs, share: wholeNs > 0 ? totalNs / wholeNs : 0 }))
    .sort((a, b) => b.totalNs - a.totalNs || (a.kind < b.kind ? -1 : 1));

/** A rank's clock may run a few parts in a million faster than the job's: the largest part takes what that makes. */
function scaled(
  parts: readonly { kind: SegmentKind; ns: number }[],
  lengthNs: number,
): { kind: SegmentKind; ns: number }[] {
  const rest = lengthNs - parts.reduce((sum, { ns }) => sum + ns, 0);
  const [largest, ...others] = parts.toSorted((a, b) => b.ns - a.ns);
  return largest === undefined ? [] : [{ ...largest, ns: largest.ns + rest }, ...others];
}

function ranksOf(segments: readonly JobSegment[], wholeNs: number): JobPathAnswer['byRank'] {
  const byRank = new Map<number, number>();
  for (const segment of segments) byRank.set(segment.rank, (byRank.get(segment.rank) ?? 0) + lengthOf(segment));
  return [...byRank]
    .map(([rank, totalNs]) => ({ rank, totalNs, share: wholeNs > 0 ? totalNs / wholeNs : 0 }))
    .sort((a, b) => b.totalNs - a.totalNs || a.rank - b.rank);
}

function legsOf({ segments }: JobPath, startNs: number): JobLeg[] {
  const legs: JobLeg[] = [];
  for (let from = 0, to = 0; from < segments.length; from = to) {
    while (to < segments.length && segments[to].rank === segments[from].rank) to++;
    legs.push(legOf(segments.slice(from, to), segments.at(to), startNs));
  }
  return legs;
}

function legOf(own: readonly JobSegment[], next: JobSegment | undefined, startNs: number): JobLeg {
  const [first, last] = [own[0], own[own.length - 1]];
  const event = longestEvent(own);
  const left = next !== undefined && 'arrival' in next ? next.arrival : undefined;
  return {
    rank: first.rank,
    startNs: Math.round(first.startNs) - startNs,
    endNs: Math.round(last.endNs) - startNs,
    kinds: kindsOf(own, Math.round(last.endNs) - Math.round(first.startNs)),
    ...(event === undefined ? {} : { event }),
    ...(left === undefined ? {} : { left: wholeNs(left) }),
  };
}

function wholeNs(arrival: Arrival): Arrival {
  const { marginNs, uncertaintyNs, ...rest } = arrival;
  return {
    ...rest,
    ...(marginNs === undefined ? {} : { marginNs: Math.round(marginNs) }),
    ...(uncertaintyNs === undefined ? {} : { uncertaintyNs: Math.ceil(uncertaintyNs) }),
  };
}

function longestEvent(segments: readonly JobSegment[]): number | undefined {
  let [best, longest] = [-1, 0];
  for (const segment of segments) {
    if (segment.kind !== 'in-rank') continue;
    for (const { event, ns } of segment.top) if (event !== -1 && ns > longest) [best, longest] = [event, ns];
  }
  return best === -1 ? undefined : best;
}
