import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ANALYSES, COMPOSITIONS } from './registry.ts';

const here = new URL('.', import.meta.url);
const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const registered = [...Object.entries(ANALYSES), ...Object.entries(COMPOSITIONS)];

test('each folder is registered, and each id has a folder', () => {
  expect(registered.map(([id]) => id).sort()).toEqual(folders.map(({ name }) => name).sort());
});

describe.each(registered)('%s', (id, analysis) => {
  const names = readdirSync(new URL(`${id}/`, here));
  test('its id is its folder', () => expect(analysis.id).toBe(id));
  test('it asks a question', () => expect(analysis.question).toMatch(/^[A-Z].*\?$/));
  test.each(['README.md', 'result.ts', 'compute.ts', 'render-text.ts', 'index.ts'])('has %s', (file) =>
    expect(names).toContain(file),
  );
  test('has a test and a golden text', () => {
    expect(names.some((name) => name.endsWith('.test.ts'))).toBe(true);
    expect(existsSync(new URL(`${id}/golden/`, here))).toBe(true);
  });
});
