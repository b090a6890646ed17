import { isDeepStrictEqual } from 'node:util';
import type { StringId } from '../trace/ids.ts';
import type { Trace } from '../trace/trace.ts';

const TABLES = ['events', 'ops', 'calls', 'python', 'device', 'sync', 'records', 'collectives'] as const;

function columnsOf(trace: Trace): Map<string, Buffer> {
  const columns = TABLES.flatMap((table) =>
    Object.entries(trace[table] as object)
      .filter((entry): entry is [string, Uint8Array<ArrayBuffer>] => ArrayBuffer.isView(entry[1]))
      .map(([name, { buffer, byteOffset, byteLength }]): [string, Buffer] => [
        `${table}.${name}`,
        Buffer.from(buffer, byteOffset, byteLength),
      ]),
  );
  return new Map(columns);
}

/** Where two traces differ: columns, numbers of texts, tracks and categories included, and whatever else. Fast also where both are large. */
export function differences(one: Trace, other: Trace): string[] {
  const others = columnsOf(other);
  const found = [...columnsOf(one)].filter(([name, bytes]) => others.get(name)?.equals(bytes) !== true);
  const different = found.map(([name]) => name);
  for (const fact of Object.keys(one) as (keyof Trace)[]) {
    if (fact === 'strings' || TABLES.some((table) => table === fact)) continue;
    if (!isDeepStrictEqual(one[fact], other[fact])) different.push(fact);
  }
  const texts = ({ strings }: Trace): string[] =>
    Array.from({ length: strings.length }, (_, id) => strings.text(id as StringId));
  if (!isDeepStrictEqual(texts(one), texts(other))) different.push('strings');
  return different;
}
