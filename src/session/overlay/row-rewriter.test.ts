import { describe, expect, test } from 'vitest';
import { RowRewriter, type RowEditor } from './row-rewriter.ts';

const encoder = new TextEncoder();

function rewrite(
  text: string,
  editor: Partial<RowEditor>,
  chunkSize = Infinity,
  known: readonly number[] = [],
): string {
  const rewriter = new RowRewriter(
    { edit: () => undefined, added: () => [], ...editor },
    Float64Array.from([...known, Infinity]),
  );
  const bytes = encoder.encode(text);
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) out.push(...rewriter.push(bytes.slice(at, at + chunkSize)));
  out.push(...rewriter.finish());
  return Buffer.concat(out).toString();
}

const FILE = `{"schemaVersion": 1, "traceEvents_": [{"no": "row"}], "x": {"traceEvents": [1]},
 "traceEvents": [
  {"ph":"M","name":"a [\\"]}","args":{"name":"x"}} ,
  {"ph":"X","name":"é","args":{"l":[1,{"b":2}]}},
  {"ph":"X","name":"last"}
 ], "traceName": "out/a[0].json", "displayTimeUnit": "ms"}
`;
const BARE = '[\n{"ph":"X"},\n{"ph":"M"}\n]\n';
const SIZES = [1, 2, 3, 7, 64, Infinity];

describe.each(SIZES)('in chunks of %d bytes', (size) => {
  test.each([FILE, BARE, '{"traceEvents":[]}', '[]'])('a file that nothing changes is copied: %#', (file) =>
    expect(rewrite(file, {}, size)).toBe(file),
  );
  test('rows are handed over with their place', () => {
    const rows: string[] = [];
    const edit = (row: Uint8Array, offset: number): undefined => {
      rows.push(Buffer.from(row).toString());
      expect(encoder.encode(FILE).subarray(offset, offset + row.length)).toEqual(row);
    };
    rewrite(FILE, { edit }, size);
    expect(rows.map((row) => (JSON.parse(row) as { name: string }).name)).toEqual(['a ["]}', 'é', 'last']);
  });
  test('rows are changed and added', () => {
    const edit = (row: Uint8Array) => (row.includes(0xc3) ? encoder.encode('{"new":1}') : undefined);
    const out = rewrite(FILE, { edit, added: () => ['{"f":1}', '{"f":2}'] }, size);
    expect(out).toBe(
      FILE.replace('{"ph":"X","name":"é","args":{"l":[1,{"b":2}]}}', '{"new":1}').replace(
        '"last"}',
        '"last"},\n{"f":1},\n{"f":2}',
      ),
    );
  });
  test('rows are left out', () => {
    const keeps = (row: Uint8Array) => !row.includes(0xc3);
    const out = JSON.parse(rewrite(FILE, { keeps, added: () => ['{"f":1}'] }, size)) as Record<string, unknown>;
    expect(out['traceName']).toBe('out/a[0].json');
    expect(out['traceEvents']).toMatchObject([{ ph: 'M' }, { name: 'last' }, { f: 1 }]);
    const none = rewrite(FILE, { keeps: () => false }, size);
    expect((JSON.parse(none) as { traceEvents: unknown }).traceEvents).toEqual([]);
    expect(JSON.parse(rewrite(BARE, { keeps: () => false, added: () => ['{"f":1}'] }, size))).toEqual([{ f: 1 }]);
  });
  test.each([
    ['{"traceEvents":[{"a":1}]}\n{"x":1}garbage', '{"traceEvents":[{"a":1},\n{"f":1}]}\n'],
    ['{"traceEvents":[{"a":1}]}}]', '{"traceEvents":[{"a":1},\n{"f":1}]}'],
    ['[{"a":1}] , {"b":2}]', '[{"a":1},\n{"f":1}] '],
    ['\ufeff[{"a":1}]\n', '[{"a":1},\n{"f":1}]\n'],
  ])('what stands in front of the JSON or behind it is left out: %s', (file, want) =>
    expect(rewrite(file, { added: () => ['{"f":1}'] }, size)).toBe(want),
  );
  test('rows are added where there was none', () => {
    const out = rewrite('{"traceEvents": []}', { added: () => ['{"f":1}'] }, size);
    expect(JSON.parse(out)).toEqual({ traceEvents: [{ f: 1 }] });
  });
  test('a file that was cut off anywhere is closed behind its last whole row or key', () => {
    for (let cut = FILE.indexOf('[\n'); cut < FILE.lastIndexOf('}'); cut++) {
      const out = rewrite(FILE.slice(0, cut + 1), { added: () => ['{"f":1}'] }, size);
      const { traceEvents } = JSON.parse(out) as { traceEvents: unknown[] };
      expect(traceEvents.at(-1)).toEqual({ f: 1 });
    }
    expect(JSON.parse(rewrite(BARE.slice(0, 15), {}, size))).toEqual([{ ph: 'X' }]);
  });
});

test('a damaged row hides none that the reader of the trace has found', () => {
  const good = '{"ph":"X","name":"b"}';
  const file = `{"traceEvents": [{"ph":"X","name":"un"quoted ]"},\n${good},\n${good}]}`;
  const known = [file.indexOf(good), file.lastIndexOf(good)];
  for (const size of SIZES) {
    const seen: number[] = [];
    const edit = (_: Uint8Array, offset: number): undefined => void seen.push(offset);
    expect(rewrite(file, { edit }, size, known)).toBe(file);
    expect(seen).toEqual(expect.arrayContaining(known));
  }
});
