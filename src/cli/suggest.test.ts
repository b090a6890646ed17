import { expect, test } from 'vitest';
import { findNearest } from './suggest.ts';

const COMMANDS = ['report', 'info', 'sync', 'critical-path'];

test.each([
  ['inof', 'info'],
  ['infos', 'info'],
  ['snyc', 'sync'],
  ['critical_path', 'critical-path'],
  ['criticalpath', 'critical-path'],
  ['Report', 'report'],
  ['trace', undefined],
  ['x', undefined],
  ['', undefined],
])('%j was meant to be %j', (word, command) => expect(findNearest(word, COMMANDS)).toBe(command));
