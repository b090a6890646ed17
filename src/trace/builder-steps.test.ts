import { expect, test } from 'vitest';
import { buildGraph } from '../graph/graph.ts';
import { traceOf } from '../test-kit/draw.ts';

const categoryOf = (drawing: string): string[] => {
  const { events, categories, strings } = traceOf(drawing);
  return Array.from(
    { length: events.length },
    (_, e) => `${strings.text(events.name[e])} ${categories[events.category[e]].name}`,
  );
};

test('steps that were recorded as ops are annotations, other ops of 2021 are ops', () => {
  const rows = categoryOf('ann 1 | ProfilerStep#1@0+50{cat=Operator} b@60+5{cat=Operator}\ncpu 1 | a@5+10');
  expect(rows).toEqual(['ProfilerStep#1 user_annotation', 'a cpu_op', 'b Operator']);
});

test('names that only begin like a step stay what they are', () => {
  expect(categoryOf('ann 1 | ProfilerStep@0+5{cat=Operator} ProfilerStep#x@6+5{cat=Operator}')).toEqual([
    'ProfilerStep Operator',
    'ProfilerStep#x Operator',
  ]);
});

test('they are no host work', () => {
  const { host } = buildGraph(traceOf('ann 1 | ProfilerStep#1@0+50{cat=Operator}\ncpu 1 | a@5+10'));
  expect(host.length).toBe(1);
});
