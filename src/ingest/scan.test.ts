import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHUNK_SIZES, reusedChunks } from '../test-kit/chunks.ts';
import type { DiagnosticKind } from '../trace/diagnostics.ts';
import { Field, FIRST_TEXT_FIELD, type RawRow } from '../trace/raw-row.ts';
import { StringBuilder } from '../trace/strings.ts';
import { Scanner } from './scan.ts';

interface PlainRow {
  readonly position: number;
  readonly byteOffset: number;
  readonly phase: string | undefined;
  readonly name: string | undefined;
  readonly category: string | undefined;
  readonly pid: string | undefined;
  readonly tid: string | undefined;
  readonly startNs: bigint | undefined;
  readonly durNs: number | undefined;
  readonly args: Readonly<Record<string, number | string>>;
}

interface Scanned {
  readonly rows: readonly PlainRow[];
  readonly meta: readonly string[];
  readonly damage: readonly string[];
  readonly failure: string | undefined;
}

function plainRow(row: RawRow, strings: StringBuilder): PlainRow {
  const text = (id: number): string | undefined => (id < 0 ? undefined : strings.text(id as RawRow['name']));
  const args: Record<string, number | string> = {};
  for (const [name, field] of Object.entries(Field)) {
    if ((row.present & (1 << field)) === 0) continue;
    args[name] = field < FIRST_TEXT_FIELD ? row.values[field] : (text(row.values[field]) ?? '');
  }
  return {
    position: row.position,
    byteOffset: row.byteOffset,
    phase: row.phase === 0 ? undefined : String.fromCharCode(row.phase),
    name: text(row.name),
    category: text(row.category),
    pid: text(row.pid),
    tid: text(row.tid),
    startNs: row.hasStart ? BigInt(row.startSeconds) * 1_000_000_000n + BigInt(row.startNanos) : undefined,
    durNs: Number.isNaN(row.dur) ? undefined : row.dur,
    args,
  };
}

function scan(json: string | Uint8Array, chunks?: (bytes: Uint8Array) => Iterable<Uint8Array>): Scanned {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  const strings = new StringBuilder();
  const rows: PlainRow[] = [];
  const meta: string[] = [];
  const damage: string[] = [];
  const scanner = new Scanner(strings, {
    event: (row) => rows.push(plainRow(row, strings)),
    meta: (key, json) => meta.push(`${key}=${new TextDecoder().decode(json)}`),
    damage: (kind: DiagnosticKind, byteOffset) => damage.push(`${kind}@${byteOffset}`),
  });
  for (const chunk of chunks?.(bytes) ?? [bytes]) scanner.push(chunk);
  scanner.finish();
  return { rows, meta, damage, failure: scanner.failure?.code };
}

const rowsOf = (json: string): readonly PlainRow[] => scan(json).rows;

test('an object with traceEvents and a bare list are the same rows', () => {
  const event = '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":2.5,"args":{"correlation":100}}';
  const [row] = rowsOf(`{"traceEvents":[${event}]}`);
  expect(row).toEqual({
    position: 0,
    byteOffset: 16,
    phase: 'X',
    name: 'k',
    category: 'kernel',
    pid: '0',
    tid: '7',
    startNs: 10_000n,
    durNs: 2_500,
    args: { correlation: 100 },
  });
  expect(rowsOf(`[${event}]`)).toEqual([{ ...row, byteOffset: 1 }]);
});

test('keys in any order, twice, and written with escapes', () => {
  const [row] = rowsOf(
    String.raw`[{"args":{"stream":1,"stream":2,"x":{"stream":9}},"n\u0061me":"a","name":"b","\u0070h":"X","ts":"1.5","args":{"device":3}}]`,
  );
  expect(row).toMatchObject({ phase: 'X', name: 'b', startNs: 1_500n, args: { device: 3 } });
});

test('the same key and bracket in the event and in its args are two things', () => {
  const { rows, damage } = scan(
    '[{"ph":"X","args":{"a":1},"x":"y"},{"ph":"X","args":{"stream":5,"x":"y"}},{"ph":"X","args":{"a":1},"x":"y"},{"ph":"i"}]',
  );
  expect(rows.map(({ phase, args }) => [phase, args])).toEqual([
    ['X', {}],
    ['X', { stream: 5 }],
    ['X', {}],
    ['i', {}],
  ]);
  expect(damage).toEqual([]);
});

test('numbers as text, in hex, and ids above 2^31', () => {
  const [row] = rowsOf(
    '[{"ph":"X","args":{"stream":"0","device":"0x1f","correlation":4294967297,"bytes":1.5e3,"Comms Id":"18446744073709551615","Process Group Ranks":"[0, 1]","Seq":-5}}]',
  );
  expect(row?.args).toEqual({
    stream: 0,
    device: 31,
    correlation: 4_294_967_297,
    bytes: 1500,
    commsId: '18446744073709551615',
    groupRanks: '[0, 1]',
    collectiveSequence: -5,
  });
});

test('an id that no double holds is rounded and counted once a row', () => {
  const { rows, damage } = scan('[{"ph":"X","args":{"correlation":9007199254740993,"stream":9007199254740995}}]');
  expect(rows[0]?.args).toEqual({ correlation: 9_007_199_254_740_992, stream: 9_007_199_254_740_996 });
  expect(damage).toEqual(['number-precision@1']);
});

test('keys beside traceEvents are found before and after it, others of any nesting are stepped over', () => {
  const deep = `${'['.repeat(5000)}"]}"${']'.repeat(5000)}`;
  const { meta, rows, damage } = scan(
    `{"a":${deep},"b":[[{"traceEvents":[1]}],"\\"]"],"traceName":"out/a[0].json","distributedInfo":{"rank":3,"pg":[{"r":[1]}]},` +
      '"traceEvents":[{"ph":"X"}],"x":null,"baseTimeNanoseconds": 17 ,"deviceProperties":[]}',
  );
  expect(meta).toEqual([
    'distributedInfo={"rank":3,"pg":[{"r":[1]}]}',
    'baseTimeNanoseconds=17',
    'deviceProperties=[]',
  ]);
  expect(rows).toHaveLength(1);
  expect(damage).toEqual([]);
});

test.each([
  ['', 'empty-file'],
  [' \n ', 'empty-file'],
  ['hello', 'not-json'],
  ['\u0000\u0001', 'not-json'],
  ['{"a":1}', 'not-a-trace'],
  ['{"traceEvents":null}', 'no-event-list'],
  ['{"schemaVersion":1,"traceEvents":{}}', 'no-event-list'],
  ['{"traceEvents":"x"}', 'no-event-list'],
  ['{"traceEvents":[1,"a"]}', 'no-event-list'],
  ['{"traceEvents":[{"a":1}]}', 'no-event-list'],
  ['[[1,2],[3]]', 'not-a-trace'],
  ['[1]', 'not-a-trace'],
  ['[{"a":1},{"b":2}]', 'not-a-trace'],
  ['{hello}', 'not-json'],
  ['[]', undefined],
  ['{"traceEvents":[]}', undefined],
  ['\uFEFF[]', undefined],
  ['[{"ph":"M"}]', undefined],
])('%j: %s', (json, failure) => {
  for (const size of CHUNK_SIZES) expect(scan(json, (bytes) => reusedChunks(bytes, size)).failure).toBe(failure);
});

const jsonText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '}],{"ph":', 'é', '😀', '\u0001'),
);
const nested = fc.jsonValue({ maxDepth: 3 });
const time = fc.oneof(fc.integer({ min: -1e6, max: 2e15 }), fc.double({ min: 0, max: 1e9, noNaN: true }));
const eventModel = fc.record(
  {
    ph: fc.constantFrom('X', 'B', 'E', 'i', 's', 'f', 'M', 'C'),
    cat: jsonText,
    name: jsonText,
    pid: fc.oneof(fc.integer(), jsonText),
    tid: fc.oneof(fc.integer(), jsonText),
    ts: time,
    dur: time,
    other: nested,
    args: fc.record(
      {
        correlation: fc.maxSafeInteger(),
        stream: fc.integer(),
        bytes: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        dtype: jsonText,
        'Call stack': jsonText,
        'Input Dims': nested,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['ph'] },
);
type EventModel = typeof eventModel extends fc.Arbitrary<infer T> ? T : never;

/** JSON text with space and escapes wherever JSON allows them. */
function spell(value: unknown, space: () => string): string {
  if (typeof value === 'string') {
    const units = value.split('').map((unit) => {
      const plain = JSON.stringify(unit).slice(1, -1);
      const isAscii = unit.charCodeAt(0) < 0x7f;
      return isAscii && space() !== ''
        ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
        : isAscii
          ? plain
          : unit;
    });
    return `"${units.join('')}"`;
  }
  if (Array.isArray(value)) {
    return `[${space()}${value.map((item) => spell(item, space)).join(`${space()},${space()}`)}${space()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}${space()}:${space()}${spell(item, space)}`,
    );
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  }
  return JSON.stringify(value);
}

function expectedRow(event: EventModel): Partial<PlainRow> {
  const args: Record<string, number | string> = {};
  for (const key of ['correlation', 'stream', 'bytes', 'dtype'] as const) {
    const value = event.args?.[key];
    if (value !== undefined) args[key] = value;
  }
  const text = (value: string | number | undefined): string | undefined =>
    typeof value === 'number' ? JSON.stringify(value) : value;
  return { phase: event.ph, name: event.name, category: event.cat, pid: text(event.pid), tid: text(event.tid), args };
}

test('agrees with JSON.parse on any events, at any chunk borders', () => {
  fc.assert(
    fc.property(
      fc.array(eventModel, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.constantFrom('', '', ' ', '\n\t', '\r\n    '), { minLength: 1, maxLength: 9 }),
      (events, sizes, spaces) => {
        let turn = 0;
        const json = spell(
          { before: [1, 'a'], traceEvents: events, after: { b: '}' } },
          () => spaces[turn++ % spaces.length] ?? '',
        );
        expect(JSON.parse(json)).toEqual(
          JSON.parse(JSON.stringify({ before: [1, 'a'], traceEvents: events, after: { b: '}' } })),
        );
        const whole = scan(json);
        expect(whole.damage).toEqual([]);
        expect(whole.rows).toHaveLength(events.length);
        whole.rows.forEach((row, index) => {
          const event = events[index];
          if (event !== undefined) expect(row).toMatchObject(expectedRow(event));
        });
        const cut = scan(json, function* (bytes) {
          for (let at = 0, next = 0; at < bytes.length; next++) {
            const size = sizes[next % sizes.length] ?? 1;
            yield bytes.slice(at, at + size);
            at += size;
          }
        });
        expect(cut).toEqual(whole);
      },
    ),
    { numRuns: 150 },
  );
});

test('each border of a chunk in a row of every kind of value', () => {
  const json = String.raw`{ "x" : [ {"y" : "\"]"} ], "traceEvents" : [ {"ph":"X", "cat":"cpu_\u006fp", "name":"a\\\"b é", "ts": 1.5e3 , "dur":-0.25, "pid":"p\n", "args": {"External id": 12, "Input Dims": [[1, [2]], {"a": "]"}], "stream": null} }, {} ,{"ph":"M"}] , "baseTimeNanoseconds": 12}`;
  const whole = scan(json);
  expect(whole.rows).toHaveLength(3);
  const length = new TextEncoder().encode(json).length;
  for (let first = 0; first <= length; first++) {
    const cut = scan(json, (bytes) => [bytes.slice(0, first), bytes.slice(first)]);
    expect(cut).toEqual(whole);
  }
});

test('a row larger than a chunk and than the buffer is read', () => {
  const name = 'n'.repeat(3 << 20);
  const { rows, damage } = scan(`[{"ph":"X","name":"${name}"},{"ph":"X","name":"b"}]`, (bytes) =>
    reusedChunks(bytes, 1 << 20),
  );
  expect(rows.map((row) => row.name?.length)).toEqual([name.length, 1]);
  expect(damage).toEqual([]);
});
