import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_SIZES, reusedChunks } from '../../test-kit/chunks.ts';
import { dump } from '../../test-kit/dump.ts';
import { differences } from '../../test-kit/differences.ts';
import { seeds } from '../../test-kit/seeds.ts';
import { realJson, realTraceFiles } from '../../test-kit/traces.ts';
import { Phase } from '../../trace/tables.ts';
import type { Trace } from '../../trace/trace.ts';
import { TraceReader, type ReadOptions, type ScannerChoice } from '../read-trace.ts';

type Chunks = (bytes: Uint8Array) => Iterable<Uint8Array>;

function readWith(scanner: ScannerChoice, bytes: Uint8Array, chunks: Chunks, options: Partial<ReadOptions> = {}) {
  const reader = new TraceReader({ file: 'trace', scanner, ...options });
  for (const chunk of chunks(bytes)) reader.push(chunk);
  return reader.finish();
}

/** The whole trace, its diagnostics among it, or the error, as text. */
function textOf(scanner: ScannerChoice, bytes: Uint8Array, chunks: Chunks, options: Partial<ReadOptions> = {}): string {
  const read = readWith(scanner, bytes, chunks, options);
  return read.ok ? dump(read.value) : JSON.stringify(read.error);
}

const inSizes = (sizes: readonly number[]): Chunks =>
  function* (bytes) {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      yield bytes.slice(at, at + size);
      at += size;
    }
  };
const whole: Chunks = (bytes) => [bytes];

const DAMAGE = new URL('../../../fixtures/damage/', import.meta.url);

test.each(readdirSync(DAMAGE).filter((file) => file.endsWith('.json')))(
  '%s: both scanners give the same trace and the same diagnostics, at any chunk borders',
  (file) => {
    const bytes = new Uint8Array(readFileSync(new URL(file, DAMAGE)));
    const expected = textOf('ts', bytes, whole);
    for (const size of CHUNK_SIZES) {
      expect(textOf('wasm', bytes, (all) => reusedChunks(all, size))).toBe(expected);
    }
  },
);

describe('real traces', () => {
  test.each(realTraceFiles().length > 0 ? realTraceFiles() : ['sync/alexnet.json.gz'])('%s', (file) => {
    const bytes = realJson(file);
    const wasm = readWith('wasm', bytes, inSizes([(1 << 16) - 1]));
    const ts = readWith('ts', bytes, inSizes([1 << 20]));
    if (!wasm.ok || !ts.ok) throw new Error(`${file} cannot be read`);
    expect(wasm.value.events.length).toBeGreaterThan(0);
    expect(differences(wasm.value, ts.value)).toEqual([]);
  });
});

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'aten::mm', 'kernel', 'cpu_op', 'cuda_runtime', 'python_function', '') },
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('"', '\\', '}],{"ph":', 'é'.repeat(9), '😀', '\u0001', 'n'.repeat(300)),
);
/** A number as a writer may spell it; all are JSON. */
const spelledNumber = fc.oneof(
  fc.nat(20).map(String),
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.tuple(fc.nat(2e9), fc.nat(999)).map(([whole, rest]) => `${whole}.${String(rest).padStart(3, '0')}`),
  fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.stringMatching(/^\d{1,12}$/)).map((parts) => parts.join('.')),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('-0', '0', '1e3', '-2.5E-2', '1.5e+3', '0.0', '-0.000', '123456789.9996', '9007199254740993'),
);
const anyValue = fc.oneof(
  { weight: 3, arbitrary: spelledNumber },
  { weight: 3, arbitrary: text.map((value) => JSON.stringify(value)) },
  fc.constantFrom('null', 'true', 'false', '[]', '{}', '[[1, [2, "]"]], {"a": "\\""}]', '"12"', '"0x1f"', '"7.5"'),
  fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
);
/** What is no JSON in the place of a value. */
const badValue = fc.constantFrom(
  'N/A',
  'nan',
  '0x1f',
  '007',
  '+1',
  '"\\q"',
  '"C:\\work"',
  '',
  '-',
  '1.',
  '[1, }',
  '{"a" 1}',
);

const EVENT_KEYS = ['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur', 'id', 's', 'bp', 'ph\\u0061'] as const;
const ARG_KEYS = [
  'correlation',
  'External id',
  'stream',
  'device',
  'bytes',
  'memory bandwidth (GB/s)',
  'Sequence number',
  'Python id',
  'wait_on_stream',
  'Collective name',
  'Group size',
  'Process Group Ranks',
  'name',
  'grid',
  'Input Dims',
  'Call stack',
];
type Member = readonly [key: string, value: string];

function membersOf(keys: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<Member[]> {
  return fc.array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 8 });
}
const usual: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ph: fc.constantFrom('"X"', '"X"', '"X"', '"i"', '"s"', '"f"', '"B"', '"E"', '"M"', '"C"', '"XX"', '"\\u0058"', '1'),
  ts: spelledNumber,
  dur: spelledNumber,
};

/** A row's members: mostly the usual ones in the usual order, and sometimes anything. */
function rowOf(value: fc.Arbitrary<string>): fc.Arbitrary<{ event: Member[]; args: Member[] | undefined; at: number }> {
  const usualMembers = fc
    .tuple(
      ...['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur'].map(
        (key) => usual[key] ?? text.map((each) => JSON.stringify(each)),
      ),
    )
    .map((values) => values.map((each, index): Member => [EVENT_KEYS[index] ?? '', each]));
  return fc.record({
    event: fc.oneof({ weight: 3, arbitrary: usualMembers }, membersOf(EVENT_KEYS, value)),
    args: fc.option(membersOf(ARG_KEYS, value), { nil: undefined }),
    at: fc.nat(8),
  });
}

interface Recipe {
  readonly rows: readonly { readonly event: Member[]; readonly args: Member[] | undefined; readonly at: number }[];
  /** Which row comes next, again and again: what is learned is used. */
  readonly turns: readonly number[];
  readonly spaces: readonly string[];
  readonly isBare: boolean;
  readonly sizes: readonly number[];
}

function recipeOf(value: fc.Arbitrary<string>): fc.Arbitrary<Recipe> {
  return fc.record({
    rows: fc.array(rowOf(value), { minLength: 1, maxLength: 4 }),
    turns: fc.array(fc.nat(3), { maxLength: 24 }),
    spaces: fc.array(fc.constantFrom('', '', ' ', '\n\t', '\r\n    '), { minLength: 1, maxLength: 5 }),
    isBare: fc.boolean(),
    sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 9 }),
  });
}

function spell({ rows, turns, spaces, isBare }: Recipe): string {
  let turn = 0;
  const space = (): string => spaces[turn++ % spaces.length] ?? '';
  const object = (members: readonly Member[]): string =>
    `{${space()}${members.map(([key, value]) => `"${key}"${space()}:${space()}${value}`).join(`${space()},${space()}`)}${space()}}`;
  const list = turns.map((index) => {
    // Each row begins with the same spaces: files are regular, and literals repeat.
    turn = 0;
    const { event, args, at } = rows[index % rows.length] ?? { event: [], args: undefined, at: 0 };
    const members = event.slice();
    if (args !== undefined) members.splice(at, 0, ['args', object(args)]);
    return object(members);
  });
  const events = `[${space()}${list.join(`${space()},${space()}`)}${space()}]`;
  return isBare ? events : `{"schemaVersion": 1, "traceEvents": ${events}, "x": [1]}`;
}

const encode = (json: string): Uint8Array => new TextEncoder().encode(json);

/** Members of a row, or of its args, that ask for a rule; not all are JSON. */
const TRICKY = String.raw`
"x": [1, } | "x": {"a": 1] | "x": [["a"] "b"] | "x": ["a"b"] | "x": ["a" 1] | "x": [1 "a"] | "x": {"a" "b"} | "x": [x"a"] | "x": ["\"]
"x": ["]"] | "x": {"a": "}"} | "x": """ | "x": "\" | "x": "a\"b" | "x": [[[[[[[[[[1]]]]]]]]]] | "x": [[1]]] | "x": {}{} | "x": [],[]
"x": nan | "x": N/A | "x": truely | "x": true | "x": false | "x": null | "x": - | "x": -1 | "x": 1x | "x": +1 | "x": .5 | "x": | "x" 1 | x: 1
"x": "C:\q" | "name": "C:\q" | "name": "é
" | "name": "a"b" | "name": "" | "name": 7 | "name": null | "name": ["a"] | "name": "k"
"cat": "kernel" | "cat": "cpu_op", "cat": "kernel" | "cat": 5 | "cat": null | "cat": "C:\q" | "ph": "i" | "ph": "" | "ph": "XX" | "ph": "X" | "ph": 5
"pid": 12 | "pid": -12 | "pid": "12" | "pid": 1.5 | "pid": 1x | "pid": null | "pid": [1] | "pid": -0 | "pid": 007 | "tid": 18446744073709551615
"ts": 5.1234 | "ts": 5.1236 | "ts": 5.12345678 | "ts": 5.123456789 | "ts": 5. | "ts": .5 | "ts": 5e3 | "ts": 007 | "ts": "5.5" | "ts": null | "ts": -5.5
"ts": 1700000000123456.789 | "ts": 17000000001234567.5 | "ts": 9000000000000001 | "ts": -1700000000123456.7896 | "ts": 999999.9996 | "ts": [1] | "ts": 5 6
"ts": 5.0005, "dur": 7.0005 | "ts": 5.0004, "dur": 7.0001 | "ts": 5.0006, "dur": 7.0009 | "ts": -5.0005, "dur": 7 | "dur": -7.0005 | "dur": -0 | "dur": 1e400
"ts": 5.00025, "dur": 7.00025 | "ts": 5.0007, "dur": 7.0008 | "dur": 9223372036854775.807 | "dur": 12345678 | "dur": 123456789 | "dur": 1234567812345678
"id": 12 | "id": "12" | "id": "0x12" | "id": 007 | "id": "" | "id": 9007199254740991 | "id": 9007199254740992 | "id": 9007199254740993 | "id": 1.5 | "id": "a"
"args": {} | "args": {"stream": 3} | "args": {"stream": 3}, "args": {} | "args": {"stream": 3}, "args": {"device": 4} | "args": {"stream": 3}, "args": 5 | "args": [1]
"args": {"args": {"stream": 3}} | "args": {"stream": 3,} | "args": {,"stream": 3} | "args": {"stream" : "3"} | "args": {"stream":   "3"} | "args": {"stream": "03"}
"args": {"stream": 03} | "args": {"stream": 3.0} | "args": {"stream": 3e2} | "args": {"stream": 4294967295} | "args": {"stream": -9} | "args": {"stream": 0x1f}
"args": {"correlation": 4294967297} | "args": {"correlation": 12345678} | "args": {"correlation": 123456789012345678} | "args": {"correlation": null}
"args": {"bytes": 1.5e3} | "args": {"bytes": 9007199254740993} | "args": {"bytes": N/A} | "args": {"memory bandwidth (GB/s)": 1.0666666666666667} | "args": {"stream": 3 4}
"args": {"External id": 1, "Sequence number": 12345, "Fwd thread id": 1} | "args": {"Collective name": "allreduce", "dtype": "C:\q", "Seq": 5} | "args": {"Process Group Ranks": [0, 1]}
"args": {"wait_on_stream": 4294967295, "stream": 4294967295} | "cat": "cuda_sync", "args": {"wait_on_stream": 4294967295, "stream": 4294967295} | "cat": "cuda_sync"
"cat": "kernel", "args": {"device": 1, "stream": 7}} | "cat": "kernel", "args": {"device": 1, "stream": 7 | }{ | }, | ,{ | ] | } ] | }} | "x": "unfinished | , "x": 1
`
  .split(/ \| |\n/)
  .filter((each) => each !== '');
const PLAIN = [
  '"cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 2.5, "args": {"device": 0, "stream": 7, "correlation": 100}',
  '"cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":9.5,"dur":20,"args":{"External id":5,"Input Dims":[[1,2],["a"]],"x":"y"}',
  '"pid": 1, "tid": "a b", "ts": 11, "id": 100, "cat": "ac2g", "name": "ac2g", "bp": "e"',
];

test('each tricky member in rows that are often met', () => {
  const commas = [', ', ',\n  ', ' , '];
  TRICKY.forEach((tricky, index) => {
    const comma = commas[index % commas.length] ?? ', ';
    const rows = PLAIN.flatMap((plain) => {
      const other = plain.replaceAll(', ', comma);
      const usualRow = `{"ph": "X"${comma}${other}}`;
      const before = `{"ph": "X"${comma}${tricky}${comma}${other}}`;
      const behind = `{"ph": "X"${comma}${other}${comma}${tricky}}`;
      const inArgs = `{"ph": "X"${comma}${other.replace('{', `{${tricky}${comma}`)}}`;
      const alone = `{"ph": "X"${comma}${tricky}}`;
      return [usualRow, usualRow, usualRow, before, behind, usualRow, inArgs, alone, usualRow];
    });
    const bytes = encode(`{"traceEvents": [${[...rows, ...rows].join(comma)}]}`);
    const expected = textOf('ts', bytes, whole);
    for (const chunks of [whole, inSizes([1 + (tricky.length % 61)])]) {
      const found = textOf('wasm', bytes, chunks);
      if (found !== expected) expect(`${tricky}\n${found}`).toBe(expected);
    }
  });
});

test('a text that is guessed and is another, a longer or a shorter one, or of another kind', () => {
  const texts = [
    '"[1"',
    '[1]',
    '[1,2]',
    '[1, 2]',
    '12',
    '123',
    '"12"',
    '"123"',
    '"12\\""',
    '"1"',
    '{}',
    '{"a":[1]}',
    '[]',
    '[[1]]',
    '""',
  ];
  const row = (name: string, dims: string): string =>
    `{"ph": "X", "cat": "cpu_op", "name": ${name}, "pid": 1, "tid": 1, "ts": 5, "dur": 1, "args": {"Input Dims": ${dims}, "x": 1}}`;
  const rows = texts.flatMap((one) =>
    texts.flatMap((two) => [
      ...[one, '[7]', two, '[7]'].map((dims) => row('"op"', dims)),
      ...[one, '"[7"', two].filter((name) => name.startsWith('"')).map((name) => row(name, '[7]')),
    ]),
  );
  const bytes = encode(`[${rows.join(', ')}]`);
  const expected = textOf('ts', bytes, whole);
  expect(textOf('wasm', bytes, whole)).toBe(expected);
  expect(textOf('wasm', bytes, inSizes([997, 61]))).toBe(expected);
});

test('random rows of every shape, valid or not, are the same with both scanners, at any chunk borders', () => {
  const value = fc.oneof({ weight: 20, arbitrary: anyValue }, badValue);
  fc.assert(
    fc.property(recipeOf(value), (recipe) => {
      const bytes = encode(spell(recipe));
      const expected = textOf('ts', bytes, whole);
      expect(textOf('wasm', bytes, whole)).toBe(expected);
      expect(textOf('wasm', bytes, inSizes(recipe.sizes))).toBe(expected);
    }),
    { numRuns: seeds(60, 600) },
  );
});

test('random damage in bytes is the same with both scanners', () => {
  const edit = fc.tuple(
    fc.nat(),
    fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', '0', 'x', '\u00ff', ''),
    fc.nat(3),
  );
  fc.assert(
    fc.property(recipeOf(anyValue), fc.array(edit, { minLength: 1, maxLength: 3 }), (recipe, edits) => {
      let json = spell(recipe);
      for (const [where, what, lost] of edits) {
        const at = where % (json.length + 1);
        json = json.slice(0, at) + what + json.slice(at + lost);
      }
      const bytes = Uint8Array.from(json, (letter) => letter.charCodeAt(0) & 0xff);
      const expected = textOf('ts', bytes, whole);
      expect(textOf('wasm', bytes, whole)).toBe(expected);
      expect(textOf('wasm', bytes, inSizes(recipe.sizes))).toBe(expected);
    }),
    { numRuns: seeds(40, 400) },
  );
});

interface Parsed {
  readonly ph: string;
  readonly cat?: string;
  readonly name?: string;
  readonly pid?: string;
  readonly ts: number;
  readonly args?: { readonly correlation?: number; readonly stream?: number; readonly device?: number };
}

/** Columns as `JSON.parse` has them, of the rows in the order of the file. */
function columnsOf({ events, strings, categories, tracks, device }: Trace): unknown[][] {
  const sides = new Map(Array.from(device.event, (event, row) => [event as number, row]));
  const rows = Array.from({ length: events.length }, (_, row) => {
    const side = sides.get(row);
    return [
      events.position[row],
      events.phase[row],
      strings.text(events.name[row]),
      categories[events.category[row]]?.name,
      tracks[events.track[row]]?.pid,
      events.correlation[row],
      side === undefined ? undefined : [device.stream[side], device.device[side]],
    ];
  });
  return rows.sort((a, b) => Number(a[0]) - Number(b[0]));
}

test.each(['ts', 'wasm'] as const)('%s: columns are what JSON.parse says', (scanner) => {
  const row = fc.record<Parsed>(
    {
      ph: fc.constantFrom('X', 'i'),
      cat: fc.constantFrom('kernel', 'cpu_op', 'é"\\'),
      name: text,
      pid: text,
      ts: fc.nat(2 ** 31 - 1),
      args: fc.record({ correlation: fc.maxSafeNat(), stream: fc.integer(), device: fc.nat(8) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['ph', 'ts'] },
  );
  const indents = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), indents, fc.integer({ min: 1, max: 200 }), (rows, indent, size) => {
      const json = JSON.stringify({ traceEvents: rows }, undefined, indent);
      const read = readWith(scanner, encode(json), inSizes([size]));
      if (!read.ok) throw new Error(read.error.message);
      const parsed = (JSON.parse(json) as { traceEvents: Parsed[] }).traceEvents;
      expect(columnsOf(read.value)).toEqual(
        parsed.map(({ ph, cat = '', name = '', pid = '', args = {} }, position) => [
          position,
          ph === 'X' ? Phase.complete : Phase.instant,
          name,
          cat,
          pid,
          args.correlation ?? -1,
          cat === 'kernel' ? [args.stream ?? -1, args.device ?? -1] : undefined,
        ]),
      );
    }),
    { numRuns: seeds(30, 300) },
  );
});

test('a row larger than the buffer, deep values and more texts than the tables begin with', () => {
  const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
  const rows = Array.from(
    { length: 9000 },
    (_, index) => `{"ph":"X","cat":"cpu_op","name":"op ${index}","pid":${index % 700},"tid":1,"ts":${index},"dur":1}`,
  );
  const long = `{"ph":"X","name":"${'n'.repeat(3 << 20)}","ts":1,"dur":1,"args":{"a":${deep}}}`;
  const bytes = encode(`[${[...rows.slice(0, 5000), long, ...rows.slice(5000)].join(',')}]`);
  expect(textOf('wasm', bytes, inSizes([1 << 20])) === textOf('ts', bytes, inSizes([1 << 20]))).toBe(true);
});

test('rows of a category that nobody wants are counted and left out', () => {
  const bytes = encode(
    '{"traceEvents":[{"ph":"X","cat":"python_function","name":"f","ts":1,"dur":9},{"ph":"X","cat":"cpu_op","name":"a","ts":2,"dur":3},' +
      '{"ph":"i","cat":"python_function","name":"g","ts":3}]}',
  );
  for (const scanner of ['ts', 'wasm'] as const) {
    const read = readWith(scanner, bytes, whole, { skip: ['python_function'] });
    if (!read.ok) throw new Error(read.error.message);
    const { events, eventCount, skippedRows, byPhase } = read.value;
    expect([events.length, eventCount, skippedRows, byPhase]).toEqual([1, 3, 2, { X: 2, i: 1 }]);
  }
});
