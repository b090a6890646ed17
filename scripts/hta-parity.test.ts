import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { realTrace } from '../src/test-kit/traces.ts';
import { parityTables, tablesOfPage } from './hta-parity.ts';

const PAGE = fileURLToPath(new URL('../docs/hta-differences.md', import.meta.url));

/** Each difference is made again by HTA's own rules to its last digit, or this throws. */
test('the page has every number of HTA beside ours, equal or with the reason', () => {
  realTrace('expected-hta');
  const told = tablesOfPage(readFileSync(PAGE, 'utf8')).split('\n');
  expect(parityTables().split('\n')).toEqual(told);
}, 180_000);
