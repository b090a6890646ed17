import { expect, test } from 'vitest';
import { markCritical, membersOf, textOf } from './row-members.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const marked = (text: string): string => new TextDecoder().decode(markCritical(bytes(text)));

test('members are found whatever they hold', () => {
  const row = bytes('{ "a":1 , "s" : "x,}\\"{" ,"o":{"a":[1,{}],"b":"]"}, "l":[1,[2]],"ts":17.250 }');
  const found = Object.fromEntries([...membersOf(row)].map(([key, { start, end }]) => [key, textOf(row, start, end)]));
  expect(found).toEqual({ a: '1', s: '"x,}\\"{"', o: '{"a":[1,{}],"b":"]"}', l: '[1,[2]]', ts: '17.250' });
});

test.each([
  ['{"ph":"X","args":{"device":0}}', '{"ph":"X","args":{"device":0, "critical": 1}}'],
  ['{"ph":"X","args":{ }}', '{"ph":"X","args":{ "critical": 1}}'],
  ['{"args":{},"ph":"X"}', '{"args":{"critical": 1},"ph":"X"}'],
  ['{"ph":"X"}', '{"ph":"X", "args": {"critical": 1}}'],
  ['{"ph":"X","args":null}', '{"ph":"X","args":{"critical": 1}}'],
  ['{"args":{"critical": 0, "b": "}"}}', '{"args":{"critical": 1, "b": "}"}}'],
  ['{"name":"\\"args\\":{}","args":{"n":"é"}}', '{"name":"\\"args\\":{}","args":{"n":"é", "critical": 1}}'],
  ['{}', '{"args": {"critical": 1}}'],
])('%s is marked', (row, wanted) => {
  expect(marked(row)).toBe(wanted);
  expect((JSON.parse(marked(row)) as { args: { critical: number } }).args.critical).toBe(1);
});
