import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Holds a text against the file beside the test: `expectGolden(import.meta.url, 'golden/path.txt', text)`. `UPDATE_GOLDEN=1` writes
 * it anew, for a person to read in the diff; never where a machine runs the tests.
 */
export function expectGolden(testUrl: string, file: string, actual: string): void {
  const path = fileURLToPath(new URL(file, testUrl));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    if (process.env['CI'] === 'true') throw new Error('UPDATE_GOLDEN is for people: it is refused under CI=true');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  if (!existsSync(path)) {
    throw new Error(`${file} is missing; UPDATE_GOLDEN=1 writes it: npm test -- ${fileURLToPath(testUrl)}`);
  }
  expect(actual).toBe(readFileSync(path, 'utf8'));
}
