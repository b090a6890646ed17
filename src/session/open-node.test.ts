import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { dump } from '../test-kit/dump.ts';
import type { Trace } from '../trace/trace.ts';
import { DEFAULT_MAX_BYTES, openBytes, openTrace } from './open-node.ts';

const fixture = (file: string): string => fileURLToPath(new URL(`../../fixtures/damage/${file}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'longpole-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function open(path: string): Promise<Trace> {
  const result = await openTrace(path, { file: 'trace' });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const kinds = (trace: Trace): string[] => trace.diagnostics.map(({ kind, count }) => `${kind} ${count}`);

test('the compression is told by the first bytes, whatever the name says', async () => {
  const plain = dump(await open(fixture('a16-plain-named.json.gz')));
  expect(dump(await open(fixture('a16-gzip-named.json')))).toBe(plain);
  expect(dump(await open(fixture('a16-zstd-named.json')))).toBe(plain);
  expect(dump(await open(fixture('multi-member.json.gz')))).toBe(plain);
});

test('bytes behind the compressed stream are counted, and nothing is lost', async () => {
  const trace = await open(fixture('trailing-garbage.json.gz'));
  expect(trace.events).toHaveLength(4);
  expect(kinds(trace)).toEqual(['trailing-bytes 1']);
});

test('a cut gzip file keeps all rows whose bytes are there', async () => {
  const trace = await open(fixture('truncated.json.gz'));
  expect(kinds(trace)).toEqual(['truncated-compression 1', 'truncated-file 1']);
  expect(trace.events.length).toBeGreaterThan(150);
  expect(trace.events.length).toBe(trace.eventCount);
});

test('a damaged gzip file keeps what came before the damage', async () => {
  const trace = await open(fixture('damaged.json.gz'));
  expect(kinds(trace)).toContain('truncated-compression 1');
  expect(trace.events.length).toBeGreaterThan(200);
});

test('a cut zstd file is counted as such', async () => {
  const trace = await open(fixture('truncated.json.zst'));
  expect(kinds(trace)).toContain('truncated-compression 1');
});

test('damage behind many chunks loses nothing before it', async () => {
  const rows = Array.from(
    { length: 30_000 },
    (_, index) => `{"ph":"X","name":"n${index * 7919}","ts":${index},"dur":1}`,
  );
  const gz = gzipSync(`[${rows.join(',\n')}]`);
  const path = join(folder, 'large.json.gz');
  writeFileSync(path, Buffer.concat([gz, Buffer.from('trailing')]));
  const trace = await open(path);
  expect(trace.events).toHaveLength(30_000);
  expect(kinds(trace)).toEqual(['trailing-bytes 1']);
});

test('a compressed stream that gives nothing is damaged, and not empty', async () => {
  const path = join(folder, 'cut.json.gz');
  for (const bytes of [gzipSync('{"traceEvents": []}').subarray(0, 14), Buffer.from('1f8b0800ffff', 'hex')]) {
    writeFileSync(path, bytes);
    expect(await openTrace(path)).toMatchObject({ ok: false, error: { code: 'damaged-compression' } });
  }
});

test('a file that is compressed twice is told so', async () => {
  const path = join(folder, 'twice.json.gz');
  writeFileSync(path, gzipSync(gzipSync('{"traceEvents": []}')));
  const message = 'no JSON but gzip inside: the file is compressed twice';
  expect(await openTrace(path)).toMatchObject({ ok: false, error: { code: 'not-json', message } });
});

test('bytes come decompressed', async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of openBytes(fixture('multi-member.json.gz'))) chunks.push(chunk.slice());
  expect(Buffer.concat(chunks)).toEqual(gunzipSync(readFileSync(fixture('multi-member.json.gz'))));
});

test.each([
  ['no-such-file', 'not-found'],
  ['.', 'is-directory'],
  ['empty.json', 'empty-file'],
])('%s: %s', async (file, code) => {
  expect(await openTrace(fixture(file))).toMatchObject({ ok: false, error: { code } });
});

test('a file that may not be read is an error of one line', async () => {
  expect(await openTrace('/proc/1/mem')).toMatchObject({ ok: false });
});

test('what inflates without end stops at the limit, and says which', async () => {
  const path = join(folder, 'endless.json.gz');
  writeFileSync(path, gzipSync(Buffer.from(`{"traceEvents":[${' '.repeat(40e6)}`)));
  const read = await openTrace(path, { file: 'endless', maxBytes: 5e6 });
  expect(read).toMatchObject({ ok: false, error: { code: 'too-large', message: 'more than 5000000 bytes of JSON' } });
  expect(DEFAULT_MAX_BYTES).toBe(16 * 2 ** 30);
});

test.each(['plain.json', 'packed.json.gz'])('%s: reading tells how far it is, and can be cancelled', async (name) => {
  const rows = Array.from({ length: 60_000 }, (_, index) => `{"ph":"X","name":"n${index % 9}","ts":${index},"dur":1}`);
  const json = Buffer.from(`[${rows.join(',\n')}]`);
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(json) : json);
  const seen: number[] = [];
  const read = await openTrace(path, { file: name, onProgress: (_, share) => seen.push(share ?? Number.NaN) });
  expect(read.ok && read.value.events.length).toBe(60_000);
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBeGreaterThan(0.9);
  const controller = new AbortController();
  const stopped = await openTrace(path, {
    file: name,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  expect(stopped).toMatchObject({ ok: false, error: { code: 'aborted' } });
});

test('LONGPOLE_SCANNER=ts gives the same trace', async () => {
  const path = join(folder, 'large.json.gz');
  const usual = dump(await open(path));
  process.env['LONGPOLE_SCANNER'] = 'ts';
  const other = await open(path).finally(() => delete process.env['LONGPOLE_SCANNER']);
  expect(dump(other) === usual).toBe(true);
});
