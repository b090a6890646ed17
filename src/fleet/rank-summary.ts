import type { InfoRank } from '../analyses/info/result.ts';
import type { RankClaim } from '../trace/job.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';
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

export const encodeSummary = (summary: RankSummary): string => toColumnsJson(summary);

/** `undefined` where the text is no summary. */
export function decodeSummary(json: string): RankSummary | undefined {
  let value: unknown;
  try {
    value = fromColumnsJson(json);
  } catch {
    return undefined;
  }
  return isSummary(value) ? value : undefined;
}

/** Summaries are written by this program and carry a checksum: this tells only what is something else altogether. */
function isSummary(value: unknown): value is RankSummary {
  if (typeof value !== 'object' || value === null) return false;
  const { claim, info, calls, windows, devices, diagnostics } = value as Partial<Record<keyof RankSummary, unknown>>;
  const isObject = (each: unknown): boolean => typeof each === 'object' && each !== null;
  return [claim, info, calls].every(isObject) && [windows, devices, diagnostics].every(Array.isArray);
}
