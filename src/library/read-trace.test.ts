import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { type ByteSource, readTrace } from './read-trace.ts';
import { criticalPath } from './questions.ts';
import { unwrap } from './unwrap.ts';

const kernels = Array.from({ length: 2_000 }, (_, i) => `k${(i * 7_919) % 1_000}#${i + 1}@${i * 10}+5`);
const bytes = new TextEncoder().encode(jsonOf(`gpu 0.7 | ${kernels.join(' ')}`));

async function* pieces(whole: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(size);
  for (let at = 0; at < whole.length; at += size) {
    const part = whole.subarray(at, at + size);
    piece.set(part);
    yield piece.subarray(0, part.length);
  }
}

const sources = (whole: Uint8Array): Record<string, ByteSource> => ({
  'all at once': whole,
  'in pieces whose buffer is reused': pieces(whole, 1_000),
  'byte by byte': pieces(whole, 1),
  'a stream': new Blob([whole.slice()]).stream(),
});

describe.each([
  ['plain', bytes],
  ['gzip', gzipSync(bytes)],
])('%s', (_, whole) => {
  test.each(Object.entries(sources(whole)))('%s', async (_name, source) => {
    const trace = unwrap(await readTrace(source, { file: 'worker.json' }));
    expect(trace.file).toBe('worker.json');
    expect(trace.eventCount).toBeGreaterThanOrEqual(2_000);
    expect(trace.diagnostics).toEqual([]);
    expect(unwrap(criticalPath(trace)).window.wallNs).toBe(19_995_000);
  });
});

test('gzip that is cut off gives what came before, and counts it', async () => {
  const whole = gzipSync(bytes);
  const trace = unwrap(await readTrace(whole.subarray(0, whole.length * 0.9)));
  expect(trace.eventCount).toBeGreaterThan(1_000);
  expect(trace.diagnostics.map(({ kind }) => kind)).toContain('truncated-compression');
});

test('what is no trace is an error', async () => {
  const read = await readTrace(new TextEncoder().encode('hello'));
  expect(read).toMatchObject({ ok: false, error: { code: 'not-json' } });
  expect(() => unwrap(read)).toThrow('no JSON at byte 0; a trace is JSON');
  expect(await readTrace(new Uint8Array(0))).toMatchObject({ ok: false, error: { code: 'empty-file' } });
});

test.each([bytes, gzipSync(bytes)])('an error of the source is thrown on', async (whole) => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield whole.subarray(0, 5_000);
    throw new Error('the network is gone');
  }
  await expect(readTrace(broken())).rejects.toThrow('the network is gone');
});

test('it ends early where enough was read', async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      yield new TextEncoder().encode('[{}');
      for (;;) yield new TextEncoder().encode(', {}');
    } finally {
      isClosed = true;
    }
  }
  expect(await readTrace(endless(), { maxBytes: 1_000 })).toMatchObject({ ok: false, error: { code: 'too-large' } });
  expect(isClosed).toBe(true);
});
