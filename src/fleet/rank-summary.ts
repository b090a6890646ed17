import type { InfoRank } from '../analyses/info/result.ts';
import type { RankClaim } from '../trace/job.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';
import { longList, shortList } from './groups.ts';
import type { RankCalls } from './model.ts';
import type { Skeleton } from './skeleton.ts';

/** Where a device's time went within the rank's windows, ns. Unions over its streams. */
export interface DeviceTimes {
  readonly device: number;
  readonly computationNs: number;
  readonly communicationNs: number;
  /** Communication while no computation ran. */
  readonly exposedNs: number;
  readonly copyNs: number;
  readonly idleNs: number;
}

/** A window of the rank's own: a step, as it would be without the other ranks. */
export interface RankWindow {
  readonly label: string;
  /** Ns since the trace's origin. */
  readonly startNs: number;
  readonly endNs: number;
  readonly complete: boolean;
}

/** What a job needs of one rank, in place of its trace. Plain data: it is written to a file and read by another machine. */
export interface RankSummary {
  /** As the file says it; who is which rank is decided by all of them. */
  readonly claim: Omit<RankClaim, 'file' | 'startUnixNs' | 'endUnixNs'> & {
    readonly startUnixNs: string;
    readonly endUnixNs: string;
  };
  readonly info: InfoRank;
  readonly diagnostics: readonly Diagnostic[];
  /** Those that were asked about. */
  readonly windows: readonly RankWindow[];
  readonly devices: readonly DeviceTimes[];
  readonly calls: RankCalls;
  /** Absent where the rank has no path: then `noPath` says why. */
  readonly skeleton?: Skeleton;
  readonly noPath?: string;
}

/** As JSON, lists of ranks in short: each rank has those of its groups, which may hold all ranks. */
export function encodeSummary(summary: RankSummary): string {
  const { calls } = summary;
  const groups = calls.groups.map((group) => ({ ...group, ranks: group.ranks && shortList(group.ranks) }));
  return toColumnsJson({ ...summary, calls: { ...calls, groups } });
}

/** `undefined` where the text is no summary. `lists`: of other summaries of the job, so that each list is held once. */
export function decodeSummary(json: string, lists = new RankLists()): RankSummary | undefined {
  let value: unknown;
  try {
    value = fromColumnsJson(json);
  } catch {
    return undefined;
  }
  if (!isSummary(value)) return undefined;
  const { calls } = value;
  const groups = calls.groups.map((group) => ({ ...group, ranks: lists.read(group.ranks) }));
  return { ...value, calls: { ...calls, groups } };
}

/** Lists of ranks by their short form. */
export class RankLists {
  readonly #known = new Map<string, readonly number[]>();

  read(short: unknown): readonly number[] | undefined {
    if (typeof short !== 'string') return undefined;
    const known = this.#known.get(short) ?? longList(short);
    if (known !== undefined) this.#known.set(short, known);
    return known;
  }
}

/** Summaries are written by this program and carry a checksum: this tells only what is something else altogether. */
function isSummary(value: unknown): value is RankSummary {
  if (typeof value !== 'object' || value === null) return false;
  const { claim, info, calls, windows, devices, diagnostics } = value as Partial<Record<keyof RankSummary, unknown>>;
  const isObject = (each: unknown): boolean => typeof each === 'object' && each !== null;
  return [claim, info, calls].every(isObject) && [windows, devices, diagnostics].every(Array.isArray);
}
