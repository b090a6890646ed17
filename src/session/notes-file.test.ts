import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LONGEST_NOTE, MOST_NOTES } from '../protocol/calls.ts';
import { keepNotes, notesPath, readNotes } from './notes-file.ts';

let folder = '';
let trace = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longpole-notes-'));
  trace = join(folder, 'trace.json.gz');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOTE = { text: 'slow here\n</script>', startNs: 5, endNs: 9, event: 3 };

test('notes lie beside the trace, and come back', async () => {
  expect(await readNotes(trace)).toEqual({ notes: [], file: 'trace.json.gz.longpole-notes.json' });
  const span = { text: 'a span', startNs: -4, endNs: 4 };
  expect(await keepNotes(trace, { notes: [NOTE, span] })).toMatchObject({ ok: true });
  expect(await readNotes(trace)).toEqual({ notes: [NOTE, span], file: 'trace.json.gz.longpole-notes.json' });
  expect(readdirSync(folder)).toEqual(['trace.json.gz.longpole-notes.json']);
  await keepNotes(trace, { notes: [] });
  expect((await readNotes(trace)).notes).toEqual([]);
});

test.each([
  [undefined],
  [{ notes: 'x' }],
  [{ notes: [{ text: 'no span' }] }],
  [{ notes: [{ ...NOTE, endNs: 1 }] }],
  [{ notes: [{ ...NOTE, event: -1 }] }],
  [{ notes: [{ ...NOTE, text: 'x'.repeat(LONGEST_NOTE + 1) }] }],
  [{ notes: Array.from({ length: MOST_NOTES + 1 }, () => NOTE) }],
])('what is no list of notes is not kept: %#', async (ask) => {
  expect(await keepNotes(trace, ask)).toEqual({ ok: false, error: 'these are no notes' });
  expect(readdirSync(folder)).toEqual([]);
});

test('nothing of a note but its fields is written', async () => {
  await keepNotes(trace, { notes: [{ ...NOTE, path: '/etc/passwd' }] });
  expect(readFileSync(notesPath(trace), 'utf8')).not.toContain('passwd');
});

test('a file that is something else is left as it is', async () => {
  for (const text of ['{"schema":"other"}', 'not json', '{"schema":"longpole.notes/1","notes":[1]}']) {
    writeFileSync(notesPath(trace), text);
    expect((await readNotes(trace)).problem).toMatch(/is no file of notes/);
    const kept = await keepNotes(trace, { notes: [NOTE] });
    expect(kept).toMatchObject({ ok: true, value: { problem: expect.stringMatching(/no file of notes/) } });
    expect(readFileSync(notesPath(trace), 'utf8')).toBe(text);
  }
});

test('a folder that does not exist, and standard input', async () => {
  const lost = join(folder, 'gone', 'trace.json');
  expect(await keepNotes(lost, { notes: [NOTE] })).toMatchObject({
    ok: true,
    value: { problem: expect.stringMatching(/ENOENT/) },
  });
  expect(await keepNotes('-', { notes: [NOTE] })).toMatchObject({
    value: { problem: expect.stringMatching(/standard input/) },
  });
});
