import { expect, test } from 'vitest';
import { windowLabels } from './window-labels.ts';

test('windows of one label are told apart by their start', () =>
  expect(
    windowLabels([
      { label: 'ProfilerStep#1', startNs: 0 },
      { label: 'forward\n', startNs: 1_234_567 },
      { label: 'forward\n', startNs: 9_000_000 },
    ]),
  ).toEqual(['ProfilerStep#1', 'forward\\n at 1.235 ms', 'forward\\n at 9.000 ms']));
