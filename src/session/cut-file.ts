import { open } from 'node:fs/promises';
import { BYTE } from '../ingest/bytes.ts';
import type { RowBegin } from '../ingest/scan.ts';

/** A row begins within so many bytes, or the file is not cut. */
const WINDOW = 1 << 20;
const HEAD = 1 << 12;

/**
 * A place near the middle of a plain file that looks like the begin of a row: `}`, a comma, `{` and a quote, with any space between. It may be
 * inside a row all the same; who reads up to there finds out. Rejects with Node's error.
 */
export async function findCut(path: string, size: number): Promise<RowBegin | undefined> {
  const file = await open(path);
  try {
    const head = new Uint8Array(HEAD);
    await file.read(head, 0, HEAD, 0);
    const first = head.find((byte) => byte === BYTE.openArray || byte === BYTE.openObject);
    const bytes = new Uint8Array(Math.min(WINDOW, size));
    const from = Math.floor((size - bytes.length) / 2);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const at = rowBegin(bytes.subarray(0, bytesRead));
    return at === undefined ? undefined : { byteOffset: from + at, isBare: first === BYTE.openArray };
  } finally {
    await file.close();
  }
}

/** Where in `bytes` the first row seems to begin. Rows mostly begin with the same key, so a nested list of objects is seldom taken for rows. */
function rowBegin(bytes: Uint8Array): number | undefined {
  const firstKey = /\}\s*,\s*(\{)\s*"(?:ph|cat|name|pid|tid|ts|dur|id|s|args)"\s*:/;
  // One letter a byte: what is found is in ASCII.
  const match = firstKey.exec(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
  return match === null ? undefined : match.index + match[0].indexOf('{', 1);
}
