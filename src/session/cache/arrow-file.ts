/** Arrow IPC files ("Feather"): one batch of plain columns a table, so that other programs can read them and we need not copy. */
import { open } from 'node:fs/promises';
import { makeData, makeVector, RecordBatchFileWriter, Table, tableFromIPC, Utf8 } from 'apache-arrow';
import type { ColumnArray, Columns } from './cache-tables.ts';

export const tableOf = (columns: Columns): Table =>
  new Table(Object.fromEntries(columns.map(([name, values]) => [name, makeVector(values)])));

export function textTableOf(texts: { readonly offsets: Int32Array; readonly bytes: Uint8Array }): Table {
  const { offsets, bytes } = texts;
  const length = offsets.length - 1;
  const data = makeData({ type: new Utf8(), length, nullCount: 0, valueOffsets: offsets, data: bytes });
  return new Table({ text: makeVector(data) });
}

/** Writes a table that is on the disk when this is over; returns its bytes. The columns are written as they lie, without a copy. */
export async function writeArrow(path: string, table: Table): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of RecordBatchFileWriter.writeAll(table) as AsyncIterable<Uint8Array>) {
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    await file.datasync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** Begins and ends with the six letters that such a file begins and ends with. */
const isArrowFile = (bytes: Uint8Array): boolean =>
  [0, bytes.length - 6].every((at) => String.fromCharCode(...bytes.subarray(Math.max(0, at), at + 6)) === 'ARROW1');

/** The file as bytes of its own memory, which begins where the largest of its values may lie; `undefined` where it is not `size` long. */
async function readWhole(path: string, size: number): Promise<Uint8Array | undefined> {
  const file = await open(path);
  try {
    if ((await file.stat()).size !== size) return undefined;
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(bytes, at, Math.min(size - at, 1 << 30), at);
      if (bytesRead === 0) return undefined;
      at += bytesRead;
    }
    return isArrowFile(bytes) ? bytes : undefined;
  } finally {
    await file.close();
  }
}

export interface ReadTable {
  readonly length: number;
  readonly columns: Columns;
}

export async function readColumns(path: string, size: number): Promise<ReadTable | undefined> {
  const bytes = await readWhole(path, size);
  if (bytes === undefined) return undefined;
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map(({ name, type }): [string, ColumnArray] => {
    const [data] = table.getChild(name)?.data ?? [];
    // Without rows there may be no batch to say of what type they are not.
    const values = data === undefined ? new type.ArrayType(0) : data.values;
    return [name, (values as ColumnArray).subarray(0, table.numRows)];
  });
  return { length: table.numRows, columns };
}

export async function readTexts(
  path: string,
  size: number,
): Promise<{ readonly offsets: Int32Array; readonly bytes: Uint8Array; readonly length: number } | undefined> {
  const bytes = await readWhole(path, size);
  if (bytes === undefined) return undefined;
  const table = tableFromIPC(bytes);
  const [data] = table.getChild('text')?.data ?? [];
  if (data === undefined) return { offsets: new Int32Array(1), bytes: new Uint8Array(0), length: 0 };
  return { offsets: data.valueOffsets as Int32Array, bytes: data.values as Uint8Array, length: table.numRows };
}
