// What `map` writes of each rank and `reduce` reads: one file a rank, compressed, of two lines of JSON. The first says what it is made of;
// the second is the summary, or why there is none.
import { isAscii } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { err, ok, type Result } from '../../base/result.ts';
import type { RankFile } from './rank-files.ts';

/** Goes up when what a summary holds, or how it is made, changes: summaries of other versions are made anew, and never mixed. */
const VERSION = 2;
const SCHEMA = 'longpole.rank';
const ENDING = '.rank';
const UNFINISHED = '.unfinished-';
/** A summary has some 100 bytes a call; what inflates without end stops here. */
const MOST_BYTES = 1 << 30;
/** A summary of 100,000 events inflates into one piece, and none is copied. */
const PIECE_BYTES = 1 << 20;

/** What a summary is made of. */
export interface SummaryHead {
  readonly name: string;
  readonly folder: string;
  /** Of the file's bytes, the options of reading, and the reader's version; '' where the file could not be read. */
  readonly key: string;
  /** How it was read: summaries that were made in other ways do not belong together. */
  readonly options: string;
}

/** What became of a rank's file. `json`: a summary, as `encodeSummary` writes it. */
export type SummaryBody =
  | { readonly kind: 'summary'; readonly json: string }
  /** `why` it could not be read. */
  | { readonly kind: 'failure'; readonly why: string };

export interface SummaryFile {
  readonly head: SummaryHead;
  readonly body: SummaryBody;
}

/** The name of a rank's file in the folder of summaries: the same for the same file, whoever maps it, from wherever. */
export function summaryName({ path, name }: RankFile): string {
  const folder = basename(dirname(resolve(path)));
  const hash = createHash('sha256')
    .update(JSON.stringify([folder, name]))
    .digest('hex')
    .slice(0, 12);
  const legible = name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 80);
  return `${legible}-${hash}${ENDING}`;
}

/** Writes beside and renames: nobody sees half a file, and of two processes that write the same one wins. Rejects with Node's error. */
export async function writeSummary(folder: string, fileName: string, { head, body }: SummaryFile): Promise<void> {
  const { kind } = body;
  const first = JSON.stringify({ schema: SCHEMA, version: VERSION, kind, ...head });
  const text = kind === 'summary' ? asciiJson(`${first}\n${body.json}`) : `${first}\n${body.why}`;
  const bytes = await promisify(gzip)(Buffer.from(text, 'utf8'), { level: 4 });
  await mkdir(folder, { recursive: true });
  const fresh = join(folder, `${UNFINISHED}${fileName}-${randomUUID()}`);
  try {
    await writeFile(fresh, bytes, { flag: 'wx' });
    await rename(fresh, join(folder, fileName));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** Text without other characters is read three times as fast. */
const asciiJson = (json: string): string =>
  json.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A summary, or why that file is none. Rejects with Node's error where it cannot be read. */
export async function readSummary(path: string): Promise<Result<SummaryFile, string>> {
  const bytes = await readFile(path);
  let text: string;
  try {
    const inflated = await promisify(gunzip)(bytes, { maxOutputLength: MOST_BYTES, chunkSize: PIECE_BYTES });
    text = inflated.toString(isAscii(inflated) ? 'latin1' : 'utf8');
  } catch {
    return err('damaged, or not written by longpole map');
  }
  const end = Math.max(text.indexOf('\n'), 0);
  const first = firstLineOf(text.slice(0, end));
  if (typeof first === 'string') return err(first);
  const rest = text.slice(end + 1);
  const body: SummaryBody = first.isSummary ? { kind: 'summary', json: rest } : { kind: 'failure', why: rest };
  return ok({ head: first.head, body });
}

function firstLineOf(line: string): { readonly head: SummaryHead; readonly isSummary: boolean } | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'not written by longpole map';
  }
  if (typeof value !== 'object' || value === null) return 'not written by longpole map';
  const { schema, version, kind, name, folder, key, options } = value as Record<string, unknown>;
  if (schema !== SCHEMA) return 'not written by longpole map';
  if (version !== VERSION) return `of version ${String(version)}, not ${VERSION}: map it again`;
  const head = { name, folder, key, options };
  if (!Object.values(head).every((text) => typeof text === 'string')) return 'damaged';
  return { head: head as unknown as SummaryHead, isSummary: kind === 'summary' };
}

/** The names of summaries in a folder, sorted. Rejects with Node's error. */
export async function listSummaries(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter(isSummaryName).sort();
}

export const isSummaryName = (name: string): boolean => name.endsWith(ENDING) && !name.startsWith('.');

/** Is there already a summary of this file, made in this way? */
export async function isMapped(path: string, key: string, options: string): Promise<boolean> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  const read = await readSummary(path).catch(() => undefined);
  if (read?.ok !== true) return false;
  const { head, body } = read.value;
  return body.kind === 'summary' && head.key === key && head.options === options;
}
