import { expect, test } from 'vitest';
import { asyncChunks, reusedChunks } from '../test-kit/chunks.ts';
import { dump } from '../test-kit/dump.ts';
import { openRealTrace, realJson, realTraceFiles } from '../test-kit/traces.ts';
import type { Trace } from '../trace/trace.ts';
import { readTrace, TraceReader, type ReadOptions } from './read-trace.ts';

const bytesOf = (json: string): Uint8Array => new TextEncoder().encode(json);

function read(json: string, options: Partial<ReadOptions> = {}): Trace {
  const reader = new TraceReader({ file: 'trace.json', ...options });
  reader.push(bytesOf(json));
  const result = reader.finish();
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const list = (...rows: object[]): string => JSON.stringify(rows);
const call = { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 4515, tid: 4515, ts: 10, dur: 5 };
const kernel = { ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: 20, dur: 30 };

test('args go to the table of the row’s kind', () => {
  const trace = read(
    list(
      { ...call, args: { 'External id': 1, correlation: 100 } },
      {
        ...kernel,
        args: { device: 0, stream: 7, correlation: 100, 'External id': 1, 'graph id': 3, 'graph node id': 4 },
      },
      {
        ...kernel,
        cat: 'gpu_memcpy',
        ts: 50,
        args: { device: 1, stream: '0', bytes: 4096, 'memory bandwidth (GB/s)': 1.25 },
      },
      { ...call, cat: 'cpu_op', ts: 51, args: { 'External id': 9, 'Sequence number': 5, 'Fwd thread id': 2 } },
      { ...call, cat: 'python_function', ts: 52, args: { 'Python id': 8, 'Python parent id': 6 } },
      { ...kernel, cat: 'cuda_event', ts: 53, args: { event_id: 2, stream: 7, correlation: 101, device: 0 } },
      { ...kernel, cat: 'gpu_user_annotation', ts: 54, args: {} },
    ),
  );
  const { device } = trace;
  expect(trace.calls).toEqual({ event: Int32Array.of(0), externalId: Float64Array.of(1) });
  expect(Array.from(device.event)).toEqual([1, 2, 6]);
  expect(
    [device.device, device.stream, device.graphId, device.graphNodeId].map((column) => Array.from(column)),
  ).toEqual([
    [0, 1, -1],
    [7, 0, -1],
    [3, 0, 0],
    [4, 0, 0],
  ]);
  expect([device.bytes, device.bandwidth].map((column) => column[1])).toEqual([4096, 1.25]);
  expect(trace.ops).toMatchObject({
    externalId: Float64Array.of(9),
    sequence: Float64Array.of(5),
    forwardThread: Float64Array.of(2),
  });
  expect(trace.python).toMatchObject({ pythonId: Float64Array.of(8), parentId: Float64Array.of(6) });
  expect(trace.records).toMatchObject({ eventId: Float64Array.of(2), stream: Float64Array.of(7) });
  expect(Array.from(trace.events.correlation)).toEqual([100, 100, -1, -1, -1, 101, -1]);
});

test('all generations of sync rows', () => {
  const wait = { ...kernel, cat: 'cuda_sync', name: 'Stream Wait Event' };
  const { sync } = read(
    list(
      { ...wait, args: { wait_on_stream: 7, wait_on_cuda_event_id: 1, stream: 4294967295 } },
      {
        ...wait,
        args: { wait_on_stream: 7, wait_on_cuda_event_record_corr_id: 5169, wait_on_cuda_event_id: 1, stream: 20 },
      },
    ),
  );
  expect(Array.from(sync.stream)).toEqual([-1, 20]);
  expect(Array.from(sync.waitOnRecord)).toEqual([-1, 5169]);
});

test('collective args make a row of their own beside that of the kind', () => {
  const trace = read(
    list({
      ...kernel,
      args: {
        'Collective name': 'allreduce',
        'In msg nelems': 10,
        'Group size': 2,
        dtype: 'Float',
        'Process Group Ranks': '[0, 1, ..., 29, ...]',
        Seq: 4,
        'Comms Id': '18446744073709551615',
      },
    }),
  );
  const { collectives, strings } = trace;
  expect(trace.device.event).toHaveLength(1);
  expect(strings.text(collectives.name[0])).toBe('allreduce');
  expect(strings.text(collectives.groupRanks[0])).toBe('[0, 1, ..., 29, ...]');
  expect(strings.text(collectives.commsId[0])).toBe('18446744073709551615');
  expect([collectives.inElements[0], collectives.outElements[0], collectives.sequence[0], collectives.rank[0]]).toEqual(
    [10, -1, 4, -1],
  );
});

test('args of a collective whose slots are shared with those of sync rows and M rows', () => {
  const trace = read(
    list(
      { ...kernel, cat: 'cuda_sync', name: 'Stream Wait Event', args: { wait_on_stream: 7, wait_on_cuda_event_id: 1 } },
      {
        ...kernel,
        args: {
          'Collective name': 'send',
          'Dst Rank': 5,
          'Global rank start': 1,
          'Global rank stride': 4,
          'In split size': '[3, 0]',
          'Out split size': [],
        },
      },
      { ...kernel, args: { 'Collective name': 'recv', 'Src Rank': 2 } },
    ),
  );
  const { collectives, strings, sync } = trace;
  expect(Array.from(sync.waitOnStream)).toEqual([7]);
  expect(collectives.event).toHaveLength(2);
  expect(Array.from(collectives.peerRank)).toEqual([5, 2]);
  expect(Array.from(collectives.rankStart)).toEqual([1, -1]);
  expect(Array.from(collectives.rankStride)).toEqual([4, -1]);
  expect(Array.from(collectives.inSplits, (id) => strings.text(id))).toEqual(['[3, 0]', '']);
  expect(Array.from(collectives.outSplits, (id) => strings.text(id))).toEqual(['[]', '']);
});

test('the head lists process groups, of which each field may be missing or of another shape', () => {
  const config = [{ pg_name: '0', pg_desc: 'default_pg', pg_size: 2, ranks: [0, 8] }, { pg_name: 1, ranks: ['x'] }, 7];
  expect(read(JSON.stringify({ distributedInfo: { pg_config: config }, traceEvents: [] })).groups).toEqual([
    { name: '0', description: 'default_pg', size: 2, ranks: [0, 8] },
    { name: '1', description: '' },
  ]);
  expect(read('{"distributedInfo":{"pg_config":{"a":1}},"traceEvents":[]}').groups).toBeUndefined();
});

test('a list of ranks is kept as written', () => {
  const { collectives, strings } = read(list({ ...kernel, args: { 'Process Group Ranks': [0, 1, 2] } }));
  expect(strings.text(collectives.groupRanks[0])).toBe('[0,1,2]');
});

test('an E row adds to the args of its B row', () => {
  const { ops, collectives } = read(
    list(
      { ...call, ph: 'B', cat: 'cpu_op', args: { 'External id': 3 } },
      { ...call, ph: 'E', ts: 12, args: { 'External id': 4, 'Sequence number': 9 } },
    ),
  );
  expect([ops.externalId[0], ops.sequence[0]]).toEqual([3, 9]);
  expect(collectives.event).toHaveLength(0);
});

test('tracks keep pid and tid as text, and take names from M rows before or behind', () => {
  const { tracks } = read(
    `[{"ph":"X","ts":1,"dur":1,"pid":"Spans","tid":"PyTorch Profiler"},{"ph":"X","ts":1,"dur":1,"pid":1,"tid":-5},
      {"ph":"X","ts":1,"dur":1,"pid":1,"tid":5},{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},
      {"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"CPU"}},
      {"ph":"M","name":"thread_name","pid":1,"tid":-5,"args":{"name":"thread"}}]`,
  );
  expect(tracks).toEqual([
    { pid: 'Spans', tid: 'PyTorch Profiler' },
    { pid: '1', tid: '-5', processName: 'python', processLabels: 'CPU', threadName: 'thread' },
    { pid: '1', tid: '5', processName: 'python', processLabels: 'CPU' },
  ]);
});

test.each([
  ['x/rank_12.json', 12],
  ['rank-0.json.gz', 0],
  ['worker3.pt.trace.json.gz', 3],
  ['libkineto_rank7_1694.json', 7],
  ['rank_1/ranks_8.json', undefined],
  ['frank5.json', undefined],
])('%s: rank %s', (file, rank) => {
  expect(read('[]', { file }).rank).toBe(rank);
  expect(read('[]', { file, fallbackRank: 99 }).rank).toBe(rank ?? 99);
  expect(read('{"traceEvents":[],"distributedInfo":{"rank":"4"}}', { file }).rank).toBe(4);
});

test('damaged facts are counted and say nothing', () => {
  const trace = read('{"distributedInfo":{"rank" 4},"traceEvents":[]}');
  expect(trace.rank).toBeUndefined();
  expect(trace.diagnostics).toEqual([{ kind: 'malformed-json', count: 1, firstByteOffset: 27 }]);
});

test('a limit, a signal, and progress', async () => {
  const bytes = bytesOf(list(call, kernel));
  const seen: number[] = [];
  const result = await readTrace(asyncChunks(bytes, 50), { file: 'a', maxBytes: 120, onProgress: (n) => seen.push(n) });
  expect(result).toMatchObject({ ok: false, error: { code: 'too-large' } });
  expect(seen).toEqual([50, 100]);
  const aborted = await readTrace(asyncChunks(bytes, 50), { file: 'a', signal: { aborted: true } });
  expect(aborted).toMatchObject({ ok: false, error: { code: 'aborted' } });
});

test('real traces are the same in small chunks', () => {
  for (const file of realTraceFiles()) {
    const bytes = realJson(file);
    if (bytes.length > 600_000) continue;
    const reader = new TraceReader({ file });
    for (const chunk of reusedChunks(bytes, 61)) reader.push(chunk);
    const result = reader.finish();
    if (!result.ok) throw new Error(result.error.message);
    expect(dump(result.value)).toBe(dump(openRealTrace(file)));
    expect(result.value.diagnostics).toEqual([]);
  }
});
