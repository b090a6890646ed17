// What the report says of each public trace, as a person reads it.
import { expect, test } from 'vitest';
import { COMPOSITIONS } from '../analyses/registry.ts';
import type { RenderOptions } from '../analyses/contract.ts';
import { expectGolden } from '../test-kit/golden.ts';
import { openRealTrace, realTraceFiles } from '../test-kit/traces.ts';
import { createSession } from './session.ts';

const PLAIN: RenderOptions = { limit: 10, fullNames: false, style: (_, text) => text };

test.each(realTraceFiles())('%s', (file) => {
  const { info, outcome } = createSession(openRealTrace(file)).report();
  const { report } = COMPOSITIONS;
  const text =
    outcome.status === 'ok'
      ? report.renderText(outcome.result, PLAIN)
      : `${report.renderHealth(info, PLAIN).join('\n')}\nno answer: ${outcome.reason}\n`;
  expect(text).not.toMatch(/NaN|Infinity|undefined|null|\[object/);
  const lines = outcome.status === 'ok' ? text.split('\n') : [];
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(100);
  expectGolden(import.meta.url, `golden/report/${file.replaceAll('/', '.').replace(/\.json(\.gz)?$/, '')}.txt`, text);
});
