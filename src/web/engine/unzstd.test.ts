import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unzstd } from './unzstd.ts';

const whole = readFileSync(new URL('../../../fixtures/damage/a16-zstd-named.json', import.meta.url));

async function read(bytes: Uint8Array, size: number): Promise<{ text: string; damages: number }> {
  let [text, damages] = ['', 0];
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.slice(at, at + size));
  };
  for await (const piece of unzstd(pieces(), () => damages++)) text += Buffer.from(piece).toString('latin1');
  return { text, damages };
}

test('the same in any pieces, one frame or two', async () => {
  const { text, damages } = await read(whole, Infinity);
  expect(JSON.parse(text)).toHaveProperty('traceEvents');
  expect(damages).toBe(0);
  for (const size of [1, 7, 4096]) expect(await read(whole, size)).toEqual({ text, damages: 0 });
  expect(await read(Buffer.concat([whole, whole]), 64)).toEqual({ text: text + text, damages: 0 });
});

test('what is cut, or no zstd behind its first bytes, is damage, told once', async () => {
  for (const length of [4, 9, 20, whole.length - 1]) {
    expect((await read(whole.subarray(0, length), 5)).damages, `${length} bytes`).toBe(1);
  }
  const broken = Uint8Array.from(whole);
  broken.fill(0xff, 6, 40);
  expect((await read(broken, Infinity)).damages).toBe(1);
});

test('a frame that asks for a gigabyte of memory gets none', async () => {
  // Window descriptor 0xa0: 2 ** (10 + 20) bytes.
  const greedy = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, ...Array.from({ length: 40 }, () => 0)]);
  expect(await read(greedy, Infinity)).toEqual({ text: '', damages: 1 });
});
