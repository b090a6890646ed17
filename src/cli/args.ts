/** Flags as typed → values. Every message names the flag and shows a right example. */
import { OPS_BY, OPS_SORTS, OPS_TREES } from '../analyses/ops/result.ts';
import type { OptionsOf } from '../analyses/registry.ts';
import { readClassRules } from './class-rules.ts';
import { UsageError } from './exit.ts';

type PathOptions = OptionsOf<'critical-path'>;
type GraphOptions = Pick<PathOptions, 'exact' | 'legacyDefaultStream' | 'classRules'>;
type WindowRequest = PathOptions['window'];

/** As the parser hands them over: text, or true. */
export interface Flags {
  readonly json?: true;
  readonly markdown?: true;
  readonly html?: string;
  readonly maxSize?: string;
  readonly limit?: string;
  readonly fullNames?: true;
  readonly exact?: true;
  readonly legacyDefaultStream?: true;
  readonly rules?: string;
  readonly diagnostics?: true;
  readonly debug?: true;
  readonly maxBytes?: string;
  readonly skip?: readonly string[];
  /** `false` by `--no-cache`. */
  readonly cache?: boolean;
  readonly dataLoading?: string;
  readonly step?: string;
  readonly steps?: string;
  readonly annotation?: string;
  readonly match?: string;
  readonly instance?: string;
  readonly range?: string;
  readonly overlay?: string;
  readonly onlyCritical?: true;
  readonly slack?: true;
  readonly minCall?: string;
  readonly minDelay?: string;
  readonly fullQueue?: string;
  readonly counters?: true;
  readonly scale?: readonly string[];
  readonly remove?: readonly string[];
  readonly overlap?: readonly string[];
  readonly launchLatency?: string;
  /** `false` by `--no-host-gaps`. */
  readonly hostGaps?: boolean;
  readonly graphLaunch?: string;
  readonly balance?: string | true;
  readonly force?: true;
  readonly program?: string;
  readonly out?: string;
  readonly format?: string;
  readonly weight?: string;
  readonly by?: string;
  readonly sort?: string;
  readonly tree?: string;
  readonly sequences?: true;
  readonly port?: string;
  readonly allowHost?: readonly string[];
  readonly rank?: string;
  /** Of `what-if`: the ranks that changes are made in; of `demo`: how many there are. */
  readonly ranks?: string;
  readonly groups?: string;
  readonly executor?: string;
  readonly partition?: string;
  readonly ranksPerTask?: string;
  readonly manifest?: string;
  readonly task?: string;
}

const WINDOW_FLAGS = ['step', 'steps', 'annotation', 'match', 'range'] as const;

export function windowOf(flags: Flags): WindowRequest {
  const given = WINDOW_FLAGS.filter((flag) => flags[flag] !== undefined);
  if (given.length > 1) {
    throw new UsageError(`${given.map((flag) => `--${flag}`).join(' and ')} each choose a window; give one of them`);
  }
  if (flags.instance !== undefined && flags.annotation === undefined && flags.match === undefined) {
    throw new UsageError('--instance counts the instances of an annotation; add --annotation NAME or --match REGEX');
  }
  if (flags.step !== undefined) {
    const step = wholeNumberFlag('--step', flags.step, '--step 5');
    return { kind: 'steps', first: step, last: step };
  }
  if (flags.steps !== undefined) return { kind: 'steps', ...span('--steps', flags.steps, '--steps 5..7') };
  if (flags.range !== undefined) return { kind: 'range', ...rangeOf(flags.range) };
  const name = flags.annotation ?? flags.match;
  if (name === undefined) return { kind: 'default' };
  const isMatch = flags.match !== undefined;
  if (isMatch) ensureRegex('--match', name);
  const instances = flags.instance === undefined ? {} : span('--instance', flags.instance, '--instance 0..2');
  return { kind: 'annotation', name, match: isMatch, ...instances };
}

/** How far the answer may go beyond what the trace says. */
export async function graphOptionsOf({ exact, legacyDefaultStream, rules }: Flags): Promise<GraphOptions> {
  const classRules = rules === undefined ? {} : { classRules: await readClassRules(rules) };
  return { exact: exact === true, legacyDefaultStream: legacyDefaultStream === true, ...classRules };
}

/** What every question about windows can be asked with. */
export async function scopeOptionsOf(flags: Flags): Promise<Omit<PathOptions, 'slack'>> {
  const { dataLoading } = flags;
  if (dataLoading !== undefined) ensureRegex('--data-loading', dataLoading);
  const rest = dataLoading === undefined ? {} : { dataLoading };
  return { window: windowOf(flags), ...(await graphOptionsOf(flags)), ...rest };
}

/** What `ops` lists, and how. */
export function opsOptionsOf(flags: Flags): Partial<OptionsOf<'ops'>> {
  const { by, sort, tree, sequences } = flags;
  if (tree !== undefined && sequences === true) {
    throw new UsageError('--tree and --sequences are different answers; give one of them');
  }
  const shape = tree !== undefined ? '--tree' : sequences === true ? '--sequences' : undefined;
  const foreign = (['by', 'sort'] as const).find((flag) => flags[flag] !== undefined);
  if (shape !== undefined && foreign !== undefined) {
    const why =
      tree === undefined ? 'ops come by how often they launch the same' : 'rows of every sort hang in it by their time';
    throw new UsageError(`${shape} has no --${foreign}: ${why}`);
  }
  return {
    ...(by === undefined ? {} : { by: oneOf('--by', by, OPS_BY) }),
    ...(sort === undefined ? {} : { sort: oneOf('--sort', sort, OPS_SORTS) }),
    ...(tree === undefined ? {} : { tree: oneOf('--tree', tree, OPS_TREES) }),
    ...(sequences === true ? { sequences } : {}),
  };
}

/** One of the words that a flag may have. */
function oneOf<const Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `${flag} ${quote(text)} is none of ${words.join(', ')}; for example ${flag} ${words[1] ?? words[0]}`,
  );
}

/** The weight of folded stacks. */
export const foldedWeightOf = ({ weight = 'host' }: Flags): 'host' | 'device' =>
  oneOf('--weight', weight, ['host', 'device']);

/** Where the ranks of a job are mapped. */
export const executorOf = ({ executor = 'local' }: Flags): 'local' | 'slurm' =>
  oneOf('--executor', executor, ['local', 'slurm']);

export function limitOf(flags: Flags): number | undefined {
  return flags.limit === undefined ? undefined : wholeNumberFlag('--limit', flags.limit, '--limit 20');
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

export const maxBytesOf = ({ maxBytes }: Flags): number | undefined =>
  maxBytes === undefined ? undefined : sizeFlag('--max-bytes', maxBytes);

/** Bytes with their unit. */
export function sizeFlag(flag: string, text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim()) ?? [];
  const size = BYTE_UNITS[unit.toUpperCase()];
  if (digits === '' || size === undefined) {
    throw new UsageError(`${flag} ${quote(text)} is no size with its unit; for example ${flag} 2GiB`);
  }
  return Math.floor(Number(digits) * size);
}

function rangeOf(text: string): { startNs: number; endNs: number } {
  const [from = '', to = '', ...more] = text.split('..').map((each) => each.trim());
  const startNs = durationOf(from);
  const endNs = durationOf(to);
  if (startNs === undefined || endNs === undefined || more.length > 0) {
    throw new UsageError(
      `--range ${quote(text)} needs two instants with their units; for example --range 1.2ms..3.4ms`,
    );
  }
  if (endNs <= startNs) {
    throw new UsageError(`--range ${quote(text)} ends before it starts; for example --range 1.2ms..3.4ms`);
  }
  return { startNs, endNs };
}

const POWER_OF_UNIT: Readonly<Record<string, number>> = { ns: 0, us: 3, µs: 3, μs: 3, ms: 6, s: 9 };

/** `1.2ms` in whole nanoseconds, from its digits; `undefined` where it is no number with a unit. */
export function durationOf(text: string): number | undefined {
  const [, whole = '', fraction = '', unit = ''] = /^(\d+)(?:\.(\d+))?\s*(ns|us|µs|μs|ms|s)$/.exec(text) ?? [];
  const power = POWER_OF_UNIT[unit];
  if (power === undefined) return undefined;
  const ns = Number(whole + fraction.slice(0, power).padEnd(power, '0'));
  return Number.isSafeInteger(ns) ? ns : undefined;
}

/** A length of time with its unit, in whole nanoseconds. */
export function durationFlag(flag: string, text: string, example: string): number {
  const ns = durationOf(text.trim());
  if (ns !== undefined) return ns;
  throw new UsageError(`${flag} ${quote(text)} is no length of time with its unit; for example ${example}`);
}

function span(flag: string, text: string, example: string): { first: number; last: number } {
  const [from = '', to = from, ...more] = text.split('..');
  if (more.length > 0) throw new UsageError(`${flag} ${quote(text)} is no span; for example ${example}`);
  const first = wholeNumberFlag(flag, from, example);
  const last = wholeNumberFlag(flag, to, example);
  if (last < first) throw new UsageError(`${flag} ${quote(text)} ends before it starts; for example ${example}`);
  return { first, last };
}

export function wholeNumberFlag(flag: string, text: string, example: string): number {
  if (/^\d{1,15}$/.test(text.trim())) return Number(text);
  throw new UsageError(`${flag} ${quote(text)} is no whole number; for example ${example}`);
}

export function ensureRegex(flag: string, pattern: string): void {
  try {
    RegExp(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
    throw new UsageError(`${flag} is no regular expression: ${why}; for example ${flag} '^forward'`);
  }
}

export const quote = (text: string): string => `'${text}'`;
