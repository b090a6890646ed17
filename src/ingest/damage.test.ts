import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHUNK_SIZES, reusedChunks } from '../test-kit/chunks.ts';
import { dump } from '../test-kit/dump.ts';
import { seededRandom } from '../test-kit/random.ts';
import type { DiagnosticKind } from '../trace/diagnostics.ts';
import type { EventId } from '../trace/ids.ts';
import { RowFlag } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';
import { TraceReader, type ReadError } from './read-trace.ts';

const fixture = (file: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/damage/${file}`, import.meta.url)));

function read(file: string, size = Infinity): Trace | ReadError {
  const reader = new TraceReader({ file });
  for (const chunk of reusedChunks(fixture(file), size)) reader.push(chunk);
  const result = reader.finish();
  return result.ok ? result.value : result.error;
}

function readTrace(file: string): Trace {
  const trace = read(file);
  if ('code' in trace) throw new Error(`${file}: ${trace.message}`);
  return trace;
}

/** Where the row of this index starts in the file: each row stands on a line of its own, behind the line of `traceEvents`. */
function lineOfRow(file: string, row: number): number {
  const bytes = fixture(file);
  let at = Buffer.from(bytes).indexOf('"traceEvents"');
  for (let line = 0; line <= row; line++) at = bytes.indexOf(0x0a, at) + 1;
  return at;
}

/** The kind, how many, and the row (by its line) where the first one stands. */
type Expected = readonly [kind: DiagnosticKind, count: number, row: number];

/** `names`: the rows that must have been read, in the order of the file. */
const cases: readonly { readonly file: string; readonly damage: readonly Expected[]; readonly names: string }[] = [
  {
    file: 'a1-unescaped-quotes.json',
    damage: [['malformed-event', 1, 2]],
    names: 'aten::mm cudaLaunchKernel gemm aten::relu',
  },
  { file: 'a2-windows-path.json', damage: [['bad-escape', 1, 1]], names: String.raw`aten::mm C:\work\x.py(3):_f gemm` },
  { file: 'a4-invalid-utf8.json', damage: [['invalid-utf8', 1, 1]], names: 'aten::mm x\uFFFD\uFFFD.py(3):_f gemm' },
  { file: 'a5-control-characters.json', damage: [], names: 'aten::mm first_line_second_\u0001_line_tab gemm' },
  { file: 'a7-not-available.json', damage: [['bad-value', 1, 2]], names: 'aten::mm cudaLaunchKernel gemm aten::relu' },
  { file: 'a8-hex-stream.json', damage: [['bad-value', 1, 2]], names: 'aten::mm cudaLaunchKernel gemm aten::relu' },
  { file: 'a10-bracket-in-trace-name.json', damage: [], names: 'aten::mm cudaLaunchKernel gemm' },
  { file: 'a11-keys-after-events.json', damage: [], names: 'aten::mm gemm' },
  { file: 'a13-unknown-arrays.json', damage: [], names: 'aten::mm cudaLaunchKernel gemm' },
  { file: 'a14-empty-list.json', damage: [], names: '' },
  { file: 'a14-metadata-only.json', damage: [], names: '' },
  { file: 'a17-nested-info.json', damage: [], names: 'aten::mm cudaLaunchKernel gemm' },
  { file: 'a19-text-times.json', damage: [], names: 'aten::mm aten::relu' },
  { file: 'b1-zero-time.json', damage: [['no-timing', 1, 2]], names: 'aten::mm cudaLaunchKernel gemm aten::relu' },
  {
    file: 'b2-zero-starts.json',
    damage: [['no-timing', 2, 2]],
    names: 'aten::mm cudaLaunchKernel gemm gemm aten::relu',
  },
  {
    file: 'b4-huge-and-negative.json',
    damage: [
      ['huge-duration', 1, 2],
      ['negative-duration', 1, 3],
    ],
    names: 'aten::mm cudaLaunchKernel gemm gemm2 aten::relu',
  },
  {
    file: 'b5-unfinished.json',
    damage: [['unfinished', 1, 3]],
    names: 'aten::mm cudaLaunchKernel gemm aten::wait aten::last',
  },
  { file: 'b7-unpadded-decimals.json', damage: [], names: 'aten::mm aten::relu' },
  { file: 'b8-child-past-parent.json', damage: [], names: 'aten::mm aten::addmm' },
  { file: 'b10-ends-from-unrounded.json', damage: [], names: 'gemm relu' },
  { file: 'b11-sub-microsecond.json', damage: [], names: 'aten::mm mtia' },
  { file: 'b13-clamped-start.json', damage: [['no-timing', 1, 0]], names: 'aten::early aten::mm aten::relu' },
  { file: 'b14-long-decimals.json', damage: [], names: 'a b c' },
  {
    file: 'b16-clock-domains.json',
    damage: [['clock-domains', 2, 3]],
    names: 'aten::mm cudaLaunchKernel cudaLaunchKernel gemm gemm aten::relu',
  },
  { file: 'b17-kernel-before-launch.json', damage: [], names: 'aten::mm cudaLaunchKernel gemm' },
  { file: 'b19-launches-without-kernels.json', damage: [], names: 'aten::mm cudaLaunchKernel cudaLaunchKernel' },
  { file: 'b20-zero-duration.json', damage: [], names: 'aten::mm aten::addmm' },
  { file: 'garbage-between-rows.json', damage: [['malformed-event', 1, 1]], names: 'aten::mm cudaLaunchKernel gemm' },
  {
    file: 'missing-comma-between-rows.json',
    damage: [['bad-separator', 3, 1]],
    names: 'aten::mm cudaLaunchKernel gemm',
  },
  { file: 'missing-comma-in-row.json', damage: [['malformed-event', 1, 1]], names: 'aten::mm gemm' },
  { file: 'unclosed-row.json', damage: [['malformed-event', 1, 1]], names: 'aten::mm gemm' },
  { file: 'odd-quote-in-args.json', damage: [['malformed-event', 1, 1]], names: 'aten::mm gemm aten::relu' },
];

test.each(cases)('$file', ({ file, damage, names }) => {
  const trace = readTrace(file);
  expect(trace.diagnostics).toEqual(
    damage.map(([kind, count, row]) => ({ kind, count, firstByteOffset: lineOfRow(file, row) })),
  );
  expect(
    namesInFile(trace)
      .map((name) => name.replace(/[ \n\t]/g, '_'))
      .join(' '),
  ).toBe(names);
});

function namesInFile({ events, strings }: Trace): string[] {
  const rows = Array.from(events.position, (position, row) => ({ position, name: strings.text(events.name[row]) }));
  return rows.sort((a, b) => a.position - b.position).map(({ name }) => name);
}

test.each([
  ...cases.map(({ file }) => file),
  'truncated.json',
  'stray-bracket.json',
  'truncated-before-rows.json',
  'binary.json',
])('%s is the same at any chunk borders', (file) => {
  const text = (size: number): string => {
    const trace = read(file, size);
    return 'code' in trace ? trace.message : dump(trace);
  };
  const whole = text(Infinity);
  for (const size of CHUNK_SIZES) expect(text(size)).toBe(whole);
});

test.each([
  ['empty.json', 'empty-file', undefined],
  ['binary.json', 'not-json', 0],
  ['truncated-before-rows.json', 'ends-early', 56],
])('%s: %s', (file, code, byteOffset) => {
  expect(read(file)).toMatchObject({ code, ...(byteOffset !== undefined && { byteOffset }) });
});

test('a14-no-trace-events.json: the head of a trace without rows is a trace of nothing', () => {
  const trace = readTrace('a14-no-trace-events.json');
  expect([trace.eventCount, trace.diagnostics]).toEqual([0, []]);
});

test('a file that ends early keeps its whole rows', () => {
  const trace = readTrace('truncated.json');
  expect(namesInFile(trace)).toEqual(['aten::mm', 'cudaLaunchKernel', 'gemm']);
  expect(trace.diagnostics).toEqual([
    { kind: 'truncated-file', count: 1, firstByteOffset: lineOfRow('truncated.json', 3) },
  ]);
});

test('rows behind a stray bracket, and the keys behind them, are found', () => {
  const trace = readTrace('stray-bracket.json');
  expect(namesInFile(trace)).toEqual(['aten::mm', 'cudaLaunchKernel', 'gemm']);
  expect(trace.diagnostics.map(({ kind, count }) => [kind, count])).toEqual([['malformed-json', 1]]);
  expect(trace.originUnixNs).toBe(1_700_000_000_000_010_007n);
});

test('random damage costs the rows it hits, is counted, and is the same at any chunk borders', () => {
  const random = seededRandom(11);
  const rows = Array.from(
    { length: 40 },
    (_, index) =>
      `  {\n    "ph": "X", "cat": "cpu_op", "name": "aten::op${index}", "pid": 1, "tid": 1,\n    "ts": ${index}, "dur": 1,\n` +
      `    "args": {\n      "External id": ${index}, "Input Dims": [[1, 2], []], "Input type": ["float", ""]\n    }\n  }`,
  );
  const good = `{\n"schemaVersion": 1, "traceEvents": [\n${rows.join(',\n')}\n  ],\n  "traceName": "a"\n}\n`;
  for (let run = 0; run < 120; run++) {
    // Behind the key `traceEvents`: without it there is no trace.
    const at = 40 + Math.floor(random() * (good.length - 40));
    const bad = '"\\{}[],: \n'.charAt(Math.floor(random() * 10));
    const text = good.slice(0, at) + bad + good.slice(at + Math.floor(random() * 4));
    const dumps = [Infinity, 1 + Math.floor(random() * 99)].map((size) => {
      const reader = new TraceReader({ file: 'damaged' });
      for (const chunk of reusedChunks(new TextEncoder().encode(text), size)) reader.push(chunk);
      const result = reader.finish();
      if (!result.ok) throw new Error(`${result.error.message}: ${text}`);
      const lost = rows.length - result.value.events.length;
      expect(lost).toBeLessThanOrEqual(2);
      if (lost > 0) expect(result.value.diagnostics).not.toEqual([]);
      return dump(result.value);
    });
    expect(dumps[1]).toBe(dumps[0]);
  }
});

const rowNamed = ({ events, strings }: Trace, name: string): EventId =>
  Array.from(events.name).findIndex((id) => strings.text(id) === name) as EventId;

test('values that are no JSON are absent, or their number', () => {
  const { device } = readTrace('a7-not-available.json');
  expect([device.bytes[0], device.bandwidth[0], device.stream[0]]).toEqual([Number.NaN, Number.NaN, 7]);
  expect(readTrace('a8-hex-stream.json').device.stream[0]).toBe(0);
});

test('keys behind the rows count', () => {
  const trace = readTrace('a11-keys-after-events.json');
  expect([trace.rank, trace.worldSize, trace.backend]).toEqual([5, 8, 'nccl']);
  expect(trace.originUnixNs).toBe(1_700_000_000_000_010_001n);
  expect(readTrace('a17-nested-info.json')).toMatchObject({ rank: 3, worldSize: 16, devices: [] });
});

test('times as text are exact', () => {
  const { events } = readTrace('a19-text-times.json');
  expect([...Array.from(events.start), ...Array.from(events.dur)]).toEqual([0, 1, 20_002, 500]);
});

test('rows without plausible timing stay, with start and length 0, and do not move the origin', () => {
  for (const file of [
    'b1-zero-time.json',
    'b2-zero-starts.json',
    'b4-huge-and-negative.json',
    'b16-clock-domains.json',
  ]) {
    const trace = readTrace(file);
    const { events } = trace;
    const kernel = rowNamed(trace, 'gemm');
    expect([events.flags[kernel], events.start[kernel], events.dur[kernel]]).toEqual([RowFlag.noTiming, 0, 0]);
    expect(trace.originUnixNs).toBe(1_700_000_000_000_010_000n);
    expect(events.start[rowNamed(trace, 'aten::relu')]).toBe(30_000);
  }
});

test('a row that had not ended ends with the trace', () => {
  const trace = readTrace('b5-unfinished.json');
  const { events } = trace;
  const row = rowNamed(trace, 'aten::wait');
  expect([events.flags[row], events.start[row], events.dur[row]]).toEqual([RowFlag.unfinished, 40_000, 50_000]);
});

test('decimals are read as they stand', () => {
  expect(Array.from(readTrace('b7-unpadded-decimals.json').events.start)).toEqual([0, 495]);
  expect(Array.from(readTrace('b11-sub-microsecond.json').events.dur)).toEqual([20_000, 200]);
  expect(Array.from(readTrace('b14-long-decimals.json').events.start)).toEqual([0, 112, 113]);
});

test('an end is rounded once', () => {
  const { events } = readTrace('b10-ends-from-unrounded.json');
  expect(Array.from(events.start)).toEqual([0, 5_001]);
  expect(Array.from(events.dur)).toEqual([5_001, 1_000]);
});
