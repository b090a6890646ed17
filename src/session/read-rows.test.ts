import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { openTrace } from './open-node.ts';
import { readRawEvent } from './raw-events.ts';
import { readRows } from './read-rows.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/three-steps.json.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'longpole-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function offsetsOf(path: string): Promise<number[]> {
  const read = await openTrace(path);
  if (!read.ok) throw new Error(read.error.message);
  return Array.from(read.value.events.byteOffset).sort((a, b) => a - b);
}

test('rows read in one pass are the rows read one by one', async () => {
  const plain = join(folder, 'plain.json');
  writeFileSync(plain, gunzipSync(readFileSync(EXAMPLE)));
  const offsets = await offsetsOf(EXAMPLE);
  // Neighbours, rows far apart, and the last one.
  const wanted = [...offsets.slice(0, 5), ...offsets.filter((_, at) => at % 301 === 7), ...offsets.slice(-2)];
  for (const path of [EXAMPLE, plain]) {
    const rows = await readRows(path, wanted);
    if (rows.kind !== 'file') throw new Error(rows.why);
    for (const offset of wanted) {
      const row = await rows.read(offset);
      expect(row).toHaveProperty('name');
      expect(row).toEqual(await readRawEvent(plain, offset));
    }
    expect(await rows.read(offsets.find((each) => !wanted.includes(each)) ?? -1)).toBeUndefined();
  }
});

test('rows longer than a step, and over the borders of chunks', async () => {
  const long = 'x'.repeat(700_000);
  const events = [1, 2, 3, 4].map((ts) => ({ ph: 'X', name: `${ts}`, ts, dur: 1, pid: 1, tid: 1, args: { long, ts } }));
  const path = join(folder, 'long.json');
  writeFileSync(path, JSON.stringify({ traceEvents: events }));
  const offsets = await offsetsOf(path);
  const rows = await readRows(path, offsets);
  if (rows.kind !== 'file') throw new Error(rows.why);
  for (const [at, offset] of offsets.entries()) expect(await rows.read(offset)).toEqual(events[at]);
});

test('standard input has no rows any more', async () => {
  expect(await readRows('-', [0])).toEqual({ kind: 'none', why: 'standard input cannot be read again' });
});
