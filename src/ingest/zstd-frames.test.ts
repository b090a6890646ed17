import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ZstdFrames } from './zstd-frames.ts';

const whole = readFileSync(new URL('../../fixtures/damage/a16-zstd-named.json', import.meta.url));

/** Is a stream of these bytes, in pieces of `size`, cut? */
function isCut(bytes: Uint8Array, size: number): boolean {
  const frames = new ZstdFrames();
  for (let at = 0; at < bytes.length; at += size) frames.push(bytes.subarray(at, at + size));
  return frames.isInside;
}

test('a stream is whole at its end and nowhere before, in any pieces', () => {
  for (const size of [1, 7, Infinity]) {
    expect(isCut(whole, size)).toBe(false);
    expect(isCut(Buffer.concat([whole, whole]), size)).toBe(false);
    for (let length = 1; length < whole.length; length++) {
      expect(isCut(whole.subarray(0, length), size), `${length} bytes`).toBe(true);
      if (size === Infinity) expect(isCut(Buffer.concat([whole, whole.subarray(0, length)]), size)).toBe(true);
    }
  }
});

test('the widest window of its frames, before their content', () => {
  const widest = (bytes: readonly number[]): number => {
    const frames = new ZstdFrames();
    frames.push(Uint8Array.from(bytes));
    return frames.widestWindow;
  };
  const magic = [0x28, 0xb5, 0x2f, 0xfd];
  expect(widest([...magic, 0x00, 0x50])).toBe(1 << 20);
  expect(widest([...magic, 0x00, 0x57])).toBe((1 << 20) * (1 + 7 / 8));
  // One segment: its content is its window. A size of two bytes counts from 256 on.
  expect(widest([...magic, 0x60, 0x01, 0x01])).toBe(513);
  expect(widest([...magic, 0xa0, 0, 0, 0, 0x40])).toBe(1 << 30);
  expect(widest(magic)).toBe(0);
});

test('a skippable frame is passed over', () => {
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  expect(isCut(Buffer.concat([skippable, whole]), 5)).toBe(false);
  expect(isCut(skippable.subarray(0, 9), 5)).toBe(true);
});
