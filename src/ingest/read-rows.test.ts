import { expect, test } from 'vitest';
import { readRow } from './read-rows.ts';

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const ROW = { ph: 'X', name: 'gemm', ts: 1, dur: 2, args: { shape: [1, 2], note: '}{' } };

test('a row is read from pieces of any size, the last one of a file too', async () => {
  const row = JSON.stringify(ROW);
  for (const behind of [`,${row},${row}]}`, ']}', ']', '']) {
    for (const size of [1, 7, 64, Infinity]) expect(await readRow(piecesOf(row + behind, size))).toEqual(ROW);
  }
});

test('what is no row, or not a whole one, is none', async () => {
  const row = JSON.stringify(ROW);
  for (const text of ['', ',', row.slice(1), row.slice(0, -1), '"text"']) {
    expect(await readRow(piecesOf(text, 5)), text).toBeUndefined();
  }
});
