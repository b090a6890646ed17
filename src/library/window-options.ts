import type { WindowRequest } from '../graph/window-request.ts';

/** Both included. */
export interface NumberSpan {
  /** The first one meant. */
  readonly first: number;
  /** The last one meant. */
  readonly last: number;
}

/** A span of time in nanoseconds since the trace's origin, which is its earliest start. */
export interface TimeSpan {
  readonly startNs: number;
  readonly endNs: number;
}

/** The ways to choose a window, named as on the command line. `WindowOptions` takes one of them. */
export interface WindowFields {
  /** One step, by the number in `ProfilerStep#5`. */
  readonly step: number;
  /** Several steps. */
  readonly steps: NumberSpan;
  /** The host annotations of exactly this name. */
  readonly annotation: string;
  /** The host annotations whose names this regular expression matches. */
  readonly match: string;
  /** Which of those annotations, in order of time from 0; all of them where it is left out. */
  readonly instance: number | NumberSpan;
  /** A span of time. */
  readonly range: TimeSpan;
}

type WindowKey = Exclude<keyof WindowFields, 'instance'>;
/** These fields of a window, and none of the others. */
type Only<Fields> = Fields & { readonly [Other in Exclude<keyof WindowFields, keyof Fields>]?: never };
type Instances<Key extends 'annotation' | 'match'> = Pick<WindowFields, Key> & Partial<Pick<WindowFields, 'instance'>>;

/**
 * Which part of the trace is asked about: one of `step`, `steps`, `annotation`, `match` (these two with an `instance`, if only some are
 * meant) and `range`; without any, all complete steps where there are steps, else the whole trace.
 */
export type WindowOptions =
  | Only<Partial<Pick<WindowFields, 'step'>>>
  | Only<Partial<Pick<WindowFields, 'steps'>>>
  | Only<Partial<Pick<WindowFields, 'range'>>>
  | Only<Instances<'annotation'>>
  | Only<Instances<'match'>>;

const WINDOW_KEYS = ['step', 'steps', 'annotation', 'match', 'range'] as const satisfies readonly WindowKey[];

/** Throws where the fields do not name one window. Callers without types may give anything. */
export function windowRequestOf(fields: Partial<WindowFields>): WindowRequest {
  const given = WINDOW_KEYS.filter((key) => fields[key] !== undefined);
  if (given.length > 1) throw new TypeError(`${given.join(' and ')} each choose a window; give one of them`);
  const { step, steps, annotation, match, instance, range } = fields;
  if (instance !== undefined && annotation === undefined && match === undefined) {
    throw new TypeError('instance counts the instances of an annotation; add annotation or match');
  }
  if (step !== undefined) return { kind: 'steps', ...spanOf('step', step) };
  if (steps !== undefined) return { kind: 'steps', ...spanOf('steps', steps) };
  if (range !== undefined) return rangeOf(range);
  const name = annotation ?? match;
  if (name === undefined) return { kind: 'default' };
  if (match !== undefined) ensureRegex(match);
  const instances = instance === undefined ? {} : spanOf('instance', instance);
  return { kind: 'annotation', name, match: match !== undefined, ...instances };
}

function rangeOf({ startNs, endNs }: TimeSpan): WindowRequest {
  if (!(startNs < endNs)) throw new RangeError(`range: ${startNs} to ${endNs} ns is no span of time`);
  return { kind: 'range', startNs, endNs };
}

function spanOf(field: string, given: number | NumberSpan): NumberSpan {
  const { first, last } = typeof given === 'number' ? { first: given, last: given } : given;
  const isSpan = Number.isInteger(first) && Number.isInteger(last) && first >= 0 && first <= last;
  if (!isSpan) throw new RangeError(`${field}: ${first} to ${last} is no span of whole numbers from 0`);
  return { first, last };
}

/** Throws a `SyntaxError` of JavaScript. */
export function ensureRegex(pattern: string): void {
  RegExp(pattern);
}
