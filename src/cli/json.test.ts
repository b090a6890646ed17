import { expect, test } from 'vitest';
import { jsonChunks, limitList } from './json.ts';

const text = (document: object): string => [...jsonChunks(document)].join('');

test('the chunks are one JSON document, a list with one element a line', () => {
  const document = {
    schema: 'longpole.x/1',
    absent: undefined,
    empty: [],
    numbers: [1, 2],
    path: { totalNs: 3, segments: [{ kind: 'kernel', event: { event: 1, name: 'a"b' } }, { kind: 'copy' }] },
    nothing: {},
  };
  expect(JSON.parse(text(document))).toEqual(JSON.parse(JSON.stringify(document)));
  expect(text(document)).toBe(`{
  "schema": "longpole.x/1",
  "empty": [],
  "numbers": [1,2],
  "path": {
    "totalNs": 3,
    "segments": [
      {"kind":"kernel","event":{"event":1,"name":"a\\"b"}},
      {"kind":"copy"}
    ]
  },
  "nothing": {}
}
`);
});

test('a long list comes in many chunks', () => {
  const rows = Array.from({ length: 10_000 }, (_, row) => ({ row, name: 'some name' }));
  expect([...jsonChunks({ rows })].length).toBeGreaterThan(3);
  expect(JSON.parse(text({ rows }))).toEqual({ rows });
});

test('a list that was cut says how long it was', () => {
  expect(limitList('edges', [1, 2, 3], 2)).toEqual({ edges: [1, 2], edgesTotal: 3 });
  expect(limitList('edges', [1, 2, 3], 3)).toEqual({ edges: [1, 2, 3] });
  expect(limitList('edges', [1, 2, 3], undefined)).toEqual({ edges: [1, 2, 3] });
});
