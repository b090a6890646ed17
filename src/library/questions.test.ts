import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ANALYSES, COMPOSITIONS } from '../analyses/registry.ts';
import { openTraceOf } from './open-trace.ts';
import { traceOf } from '../test-kit/draw.ts';
import * as questions from './questions.ts';

const camel = (id: string): string => id.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
const ids = [...Object.keys(ANALYSES), ...Object.keys(COMPOSITIONS)];

test('each question has its function', () => {
  expect(Object.keys(questions).sort()).toEqual(ids.map(camel).sort());
});

test.each(Object.keys(questions))('%s has an example', (name) => {
  const page = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8');
  expect(page).toContain(`unwrap(${name}(trace`);
});

test.each(Object.entries(questions))('%s asks its own question', (name, ask) => {
  const asked: unknown[] = [];
  const trace = openTraceOf(traceOf('cpu 1 | mm@0+5'));
  const spy = { ...trace, ask: (...given: unknown[]) => asked.push(given) };
  (ask as (trace: unknown, options: unknown) => void)(spy, 'options');
  expect(asked).toEqual([[ids.find((id) => camel(id) === name), 'options']]);
});
