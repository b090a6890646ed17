import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { openRealTrace, realTrace } from '../test-kit/traces.ts';
import { readRawEvent, streamRawEvents } from './raw-events.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-raw-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function parts(path: string): Promise<{ kind: string; position?: number; text: string }[]> {
  const all: { kind: string; position?: number; text: string }[] = [];
  for await (const part of streamRawEvents(path)) {
    const text = Buffer.from(part.bytes).toString('latin1');
    all.push(part.kind === 'event' ? { kind: part.kind, position: part.position, text } : { kind: part.kind, text });
  }
  return all;
}

const json =
  '{"a": [1],\n"traceEvents": [\n  {"ph":"X","name":"a","args":{"x":{"y":[1]}}},\n  {"ph":"X" "b"}, {"ph":"M"}\n],\n"b": "]"}\n';

test('the parts of a file are the file', async () => {
  const all = await parts(file('a.json', json));
  expect(all.map(({ text }) => text).join('')).toBe(json);
  expect(all.filter(({ kind }) => kind === 'event')).toEqual([
    { kind: 'event', position: 0, text: '{"ph":"X","name":"a","args":{"x":{"y":[1]}}}' },
    { kind: 'event', position: 2, text: '{"ph":"M"}' },
  ]);
  const texts = (wanted: string): string =>
    all
      .filter(({ kind }) => kind === wanted)
      .map(({ text }) => text)
      .join('');
  expect(texts('head')).toBe('{"a": [1],\n"traceEvents": [\n  ');
  expect(texts('gap')).toBe(',\n  {"ph":"X" "b"}, \n');
  expect(texts('tail')).toBe('],\n"b": "]"}\n');
});

test('a trace without events has a head and a tail', async () => {
  expect((await parts(file('none.json', '{"traceEvents": []}'))).map(({ kind }) => kind)).toEqual(['head', 'tail']);
});

test('an event is read again with all its args, compressed or not', async () => {
  for (const path of [file('b.json', json), file('b.json.gz', gzipSync(json))]) {
    expect(await readRawEvent(path, json.indexOf('{"ph"'))).toEqual({ ph: 'X', name: 'a', args: { x: { y: [1] } } });
    expect(await readRawEvent(path, json.indexOf('{"ph":"M"'))).toEqual({ ph: 'M' });
    expect(await readRawEvent(path, json.indexOf('{"ph":"X" '))).toBeUndefined();
    expect(await readRawEvent(path, 3)).toBeUndefined();
    expect(await readRawEvent(path, 10_000)).toBeUndefined();
  }
  expect(await readRawEvent('-', 0)).toBeUndefined();
});

test('an event whose JSON is damaged in a value is read as the scanner reads it', async () => {
  const text = '[{"ph":"X","name":"C:\\work","args":{"a":N/A,"b":0x10}}]';
  expect(await readRawEvent(file('c.json', text), 1)).toEqual({ ph: 'X', name: 'C:\\work', args: { a: null, b: 16 } });
});

test('every event of a real trace', async () => {
  const name = 'sync/alexnet.json.gz';
  const { events, strings } = openRealTrace(name);
  const path = realTrace(name);
  const all = await parts(path);
  expect(all.map(({ text }) => text).join('')).toBe(gunzipSync(readFileSync(path)).toString('latin1'));
  const rows = all.filter(({ kind }) => kind === 'event');
  for (let e = 0; e < events.length; e++) {
    const row = JSON.parse(rows[events.position[e]]?.text ?? '') as { name: string };
    expect(row.name).toBe(strings.text(events.name[e]));
  }
  expect(await readRawEvent(path, events.byteOffset[5])).toMatchObject({ name: strings.text(events.name[5]) });
});
