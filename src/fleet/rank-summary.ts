import type { InfoRank } from '../analyses/info/result.ts';
import type { RankClaim } from '../trace/job.ts';
import type { Diagnostic } from '../trace/diagnostics.ts';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';
import { longList, shortList } from './groups.ts';
import type { CommGroup, RankCalls } from './model.ts';
import { type CallColumns, callsOf, toCallColumns } from './call-columns.ts';
import { type EntryParts, type Skeleton, partsOf } from './skeleton.ts';

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

/** A summary as JSON holds it: lists of ranks in short, since each rank has those of its groups, which may hold all ranks. */
type Written = Omit<RankSummary, 'calls' | 'skeleton'> & {
  readonly calls: Omit<RankCalls, 'calls' | 'groups'> & {
    readonly groups: readonly (Omit<CommGroup, 'ranks'> & { readonly ranks?: unknown })[];
    readonly calls: CallColumns;
  };
  readonly skeleton?: Omit<Skeleton, 'parts'>;
};

/** Two lines of JSON: what a job holds of each rank, and what its lags are made of, which it asks for rarely. */
export function encodeSummary(summary: RankSummary): string {
  const { calls, skeleton } = summary;
  const groups = calls.groups.map((group) => ({ ...group, ranks: group.ranks && shortList(group.ranks) }));
  const held = { ...calls, groups, calls: toCallColumns(calls.calls) };
  const first = toColumnsJson({ ...summary, calls: held, skeleton: skeleton && { ...skeleton, parts: undefined } });
  return `${first}\n${skeleton === undefined ? '' : toColumnsJson(partsOf(skeleton))}`;
}

/**
 * `undefined` where the text is no summary. `shared`: with other summaries of the job. `fetchParts`: reads the second line when it is
 * needed, where it is not to be held (`decodeParts`).
 */
export function decodeSummary(
  text: string,
  shared = new SharedTexts(),
  fetchParts?: () => EntryParts,
): RankSummary | undefined {
  const line = lineEnd(text);
  const value = parsed(text.slice(0, line), shared);
  if (!isSummary(value)) return undefined;
  const { calls, skeleton, ...rest } = value;
  const groups = calls.groups.map((group) => ({ ...group, ranks: shared.list(group.ranks) }));
  const summary = { ...rest, calls: { ...calls, groups, calls: callsOf(calls.calls) } };
  if (skeleton === undefined) return summary;
  const parts = fetchParts ?? decodeParts(text);
  return parts === undefined ? undefined : { ...summary, skeleton: { ...skeleton, parts } };
}

/** What the lags of a written skeleton are made of; `undefined` where the text does not say. */
export function decodeParts(text: string): EntryParts | undefined {
  const value = parsed(text.slice(lineEnd(text) + 1));
  return isObject(value) && 'firstPart' in value ? (value as EntryParts) : undefined;
}

function lineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}

function parsed(json: string, shared?: SharedTexts): unknown {
  try {
    return fromColumnsJson(json, (text) => shared?.text(text) ?? text);
  } catch {
    return undefined;
  }
}

/** Of the summaries of a job: what many of them say is held once. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly number[]>();

  text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  /** A list of ranks from its short form. */
  list(short: unknown): readonly number[] | undefined {
    if (typeof short !== 'string') return undefined;
    const known = this.#lists.get(short) ?? longList(short);
    if (known !== undefined) this.#lists.set(short, known);
    return known;
  }
}

const isObject = (each: unknown): each is object => typeof each === 'object' && each !== null;

/** Summaries are written by this program and carry a checksum: this tells only what is something else altogether. */
function isSummary(value: unknown): value is Written {
  if (!isObject(value)) return false;
  const { claim, info, calls, windows, devices, diagnostics } = value as Partial<Record<keyof RankSummary, unknown>>;
  return [claim, info, calls].every(isObject) && [windows, devices, diagnostics].every(Array.isArray);
}
