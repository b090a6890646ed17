import { EVENT_KINDS, type EventKind, type Timeline } from '../../protocol/timeline.ts';

/** A question that is understood, or why it is not. */
export type Query =
  | { readonly ok: true; readonly isEmpty: boolean; readonly matches: (timeline: Timeline) => Int32Array }
  | { readonly ok: false; readonly why: string };

type Test = (timeline: Timeline) => (event: number, lane: number) => boolean;

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/**
 * `gemm name:nccl kind:kernel lane:s-0.7 dur>10us -python`: all of them have to hold, a minus turns one round, a comma between values
 * means either. A word alone is part of a name; `name:=gemm` is a whole one. Case does not matter; quotes hold spaces and commas together. `kind:` is one of `EVENT_KINDS`, and `cat:`
 * takes the categories of traces too (`cpu_op`); `stream:7` is that stream of each device.
 */
export function parseQuery(text: string): Query {
  const words = text.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const tests: Test[] = [];
  for (const word of words) {
    const isNot = word.startsWith('-') && word.length > 1;
    const test = testOf(isNot ? word.slice(1) : word);
    if (typeof test === 'string') return { ok: false, why: test };
    tests.push(isNot ? inverse(test) : test);
  }
  return { ok: true, isEmpty: tests.length === 0, matches: (timeline) => search(timeline, tests) };
}

const inverse =
  (test: Test): Test =>
  (timeline) => {
    const holds = test(timeline);
    return (event, lane) => !holds(event, lane);
  };

function testOf(word: string): Test | string {
  const length = /^dur(<=|>=|<|>)(.*)$/i.exec(unquoted(word));
  if (length !== null) return lengthTest(length[1], length[2]);
  const [, key, value = ''] = /^([a-z]+):(.*)$/i.exec(word) ?? [];
  const values = (value.toLowerCase().match(/(?:[^,"]|"[^"]*")+/g) ?? ['']).map(unquoted);
  switch (key?.toLowerCase()) {
    case 'name':
      return nameTest(values);
    case 'kind':
      return kindTest(values);
    case 'cat':
      return categoryTest(values);
    case 'lane':
    case 'thread':
      return laneTest(values);
    case 'stream':
      return streamTest(values);
    default:
      return nameTest([unquoted(word.toLowerCase())]);
  }
}

const unquoted = (text: string): string => text.replaceAll('"', '');

/** What finds the events of a name, and no others; where a quote is in it, those that begin as it does. */
export function exactNameQuery(name: string): string {
  const [before = '', ...rest] = name.split('"');
  return rest.length === 0 ? `name:="${name}"` : `name:"${before}"`;
}

function lengthTest(sign: string, text: string): Test | string {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s)$/.exec(text) ?? [];
  const ns = Number(digits) * (UNITS[unit] ?? NaN);
  if (Number.isNaN(ns)) return `dur${sign} needs a time with its unit, such as dur${sign}10us`;
  return ({ start, end }) => {
    const length = (e: number): number => end[e] - start[e];
    if (sign === '<') return (e) => length(e) < ns;
    if (sign === '>') return (e) => length(e) > ns;
    return sign === '<=' ? (e) => length(e) <= ns : (e) => length(e) >= ns;
  };
}

/** Names are few, so each is tested once. */
const nameTest =
  (parts: readonly string[]): Test =>
  ({ names, name }) => {
    const holds = (text: string): boolean =>
      parts.some((part) => (part.length > 1 && part.startsWith('=') ? text === part.slice(1) : text.includes(part)));
    const isIn = Uint8Array.from(names, (text) => (holds(text.toLowerCase()) ? 1 : 0));
    return (e) => isIn[name[e]] === 1;
  };

/** The words that traces have for kinds, as `cat`. */
const CATEGORIES: Readonly<Record<string, readonly EventKind[]>> = {
  kernel: ['kernel', 'collective'],
  gpu_memcpy: ['copy'],
  gpu_memset: ['copy'],
  cpu_op: ['op'],
  user_annotation: ['annotation'],
  gpu_user_annotation: ['annotation'],
  python_function: ['python'],
  cuda_runtime: ['call'],
  cuda_driver: ['call'],
  hip_runtime: ['call'],
  cuda_sync: ['sync'],
};

/** Whether `cat:` knows a category of a trace. */
export const isSearchable = (category: string): boolean => Object.hasOwn(CATEGORIES, category);

function categoryTest(values: readonly string[]): Test | string {
  return kindTest(values.flatMap((value): readonly string[] => (isSearchable(value) ? CATEGORIES[value] : [value])));
}

function kindTest(values: readonly string[]): Test | string {
  const unknown = values.find((value) => !EVENT_KINDS.some((kind) => kind === value));
  if (unknown !== undefined) return `'${unknown}' is no kind: ${EVENT_KINDS.join(', ')}`;
  const isIn = EVENT_KINDS.map((kind) => values.includes(kind));
  return ({ kind }) =>
    (e) =>
      isIn[kind[e]];
}

const laneTest =
  (values: readonly string[]): Test =>
  ({ lanes }) => {
    const isIn = lanes.map(({ id }) => {
      const name = id.toLowerCase();
      return values.some((value) => name === value || name.endsWith(`.${value}`) || name.endsWith(`-${value}`));
    });
    return (_, lane) => isIn[lane];
  };

const streamTest =
  (values: readonly string[]): Test =>
  ({ lanes }) => {
    const isIn = lanes.map(({ id, kind }) => {
      const [, device, stream] = /^s-(.*)\.([^.]*)$/.exec(id.toLowerCase()) ?? [];
      return kind === 'stream' && values.some((value) => value === stream || value === `${device}.${stream}`);
    });
    return (_, lane) => isIn[lane];
  };

/** The events that match, in time order. O(events). */
function search(timeline: Timeline, tests: readonly Test[]): Int32Array {
  const { lanes, rowFirst, start } = timeline;
  const holds = tests.map((test) => test(timeline));
  const found: number[] = [];
  if (tests.length === 0) return new Int32Array(0);
  lanes.forEach(({ firstRow, rows }, lane) => {
    for (let e = rowFirst[firstRow]; e < rowFirst[firstRow + rows]; e++) {
      if (holds.every((each) => each(e, lane))) found.push(e);
    }
  });
  return Int32Array.from(found).sort((a, b) => start[a] - start[b] || a - b);
}

/** The hit after an event, or the one before it; round the end. −1 where there is none. */
export function nextHit(
  hits: Int32Array,
  { start }: Timeline,
  from: { event: number; time: number },
  by: 1 | -1,
): number {
  if (hits.length === 0) return -1;
  const at = hits.indexOf(from.event);
  if (at !== -1) return hits[(at + by + hits.length) % hits.length];
  const later = hits.findIndex((e) => start[e] >= from.time);
  if (by === 1) return hits[later === -1 ? 0 : later];
  return hits[later <= 0 ? hits.length - 1 : later - 1];
}
