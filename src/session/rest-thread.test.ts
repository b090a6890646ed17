// The second thread is started from what was built.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { differences } from '../test-kit/differences.ts';
import { realJson } from '../test-kit/traces.ts';
import { findCut } from './cut-file.ts';
import { openTrace } from './open-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-threads-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Any file is shared, with the thread's program as it was built. */
const shared = { fromBytes: 1, worker: new URL('../../dist/rest-worker.js', import.meta.url) };

function write(name: string, json: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, json);
  return path;
}

const row = (index: number): string =>
  `{"ph":"X","cat":"cpu_op","name":"op ${index % 7}","pid":1,"tid":1,"ts":${index},"dur":1,"args":{"External id":${index}}}`;
const rows = Array.from({ length: 3000 }, (_, index) => row(index));
const NESTED = `{"ph":"X","name":"nest","ts":5,"dur":1,"args":{"x":[${rows.join(',')}]}}`;

test.each([
  ['object.json', `{"traceEvents": [${rows.join(', ')}], "distributedInfo": {"rank": 4}}`],
  ['list.json', `[${rows.join(',\n')}]`],
  ['cut.json', `[${rows.join(',\n')}`],
  ['damaged.json', `[${rows.map((each, at) => (at % 500 === 7 ? each.slice(0, -9) : each)).join(',\n')}]`],
  ['nested.json', `[${row(1)},${NESTED},${row(2)}]`],
  ['no-rows.json', `{"a": "${'x'.repeat(5000)}", "traceEvents": []}`],
  ['no-trace.json', `[${rows.map((each) => each.replace('"ph"', '"no"')).join(',')}]`],
])('%s: two threads give the same trace, or the same error, as one', async (name, json) => {
  const path = write(name, json);
  const one = await openTrace(path, { file: name });
  const two = await openTrace(path, { file: name, shared });
  if (one.ok && two.ok) expect(differences(two.value, one.value)).toEqual([]);
  else expect(two).toEqual(one);
});

test('a real trace, and rows left out', async () => {
  const path = write('real.json', realJson('sync/alexnet.json.gz'));
  for (const skip of [[], ['cuda_runtime']]) {
    const one = await openTrace(path, { file: 'real.json', skip });
    const two = await openTrace(path, { file: 'real.json', skip, shared });
    if (!one.ok || !two.ok) throw new Error('cannot be read');
    expect(one.value.skippedRows > 0).toBe(skip.length > 0);
    expect(differences(two.value, one.value)).toEqual([]);
  }
});

test('the limit and cancelling hold with two threads too', async () => {
  const path = write('limited.json', `[${rows.join(',')}]`);
  const limited = await openTrace(path, { shared, maxBytes: 1000 });
  expect(limited).toMatchObject({ ok: false, error: { code: 'too-large' } });
  const stopped = await openTrace(path, { shared, signal: AbortSignal.abort() });
  expect(stopped).toMatchObject({ ok: false, error: { code: 'aborted' } });
});

test('a cut is where a row seems to begin, near the middle', async () => {
  const json = `{"traceEvents": [${rows.join(' , ')}]}`;
  const cut = await findCut(write('middle.json', json), json.length);
  expect(cut?.isBare).toBe(false);
  expect(json.slice(cut?.byteOffset).startsWith('{"ph":"X"')).toBe(true);
  expect(await findCut(write('none.json', '[1, 2, 3]'), 9)).toBeUndefined();
});
