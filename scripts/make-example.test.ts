import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { EXAMPLE, exampleJson } from './make-example.ts';

const file = readFileSync(fileURLToPath(new URL(`../${EXAMPLE}`, import.meta.url)));

test('the example is what make-example writes', () => {
  // Not toBe: a difference of 600 KB is no message.
  expect(gunzipSync(file).toString() === exampleJson(), 'npm run make-example writes it anew').toBe(true);
});

test('the same program writes the same bytes', () => expect(exampleJson() === exampleJson()).toBe(true));

test('the file is small, and does not say when it was packed', () => {
  const packedAt = file.readUInt32LE(4);
  expect(packedAt).toBe(0);
  expect(file.length).toBeLessThan(60_000);
});
