import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trace } from '../../trace/trace.ts';
import { readColumns, readTexts, tableOf, textTableOf, writeArrow, type ReadTable } from './arrow-file.ts';
import { assembleTrace, columnsOf, factsOf, packTexts, TABLES, type Facts, type TableName } from './cache-tables.ts';

/** What all folders together may take. */
export const MOST_BYTES = 20e9;
const MANIFEST = 'manifest.json';
/** Of a folder that is being written or removed. One that is so old was left behind by a process that ended. */
const UNFINISHED = '.unfinished-';
const LEFT_BEHIND_MS = 24 * 3600 * 1000;

interface Manifest {
  readonly facts: Facts;
  /** Bytes of each file: a folder that was not written to its end does not fit. */
  readonly files: Readonly<Record<string, number>>;
}

const fileOf = (table: string): string => `${table}.arrow`;

/**
 * Keeps a trace in `folder/key`, one Arrow file a table. All is written beside, the manifest last, and then renamed: nobody sees half a
 * folder, and of two processes that write the same one, one wins. Rejects with Node's error.
 */
export async function writeTrace(folder: string, key: string, trace: Trace): Promise<void> {
  const texts = packTexts(trace.strings);
  if (texts === undefined) return;
  const fresh = join(folder, `${UNFINISHED}${key}-${randomUUID()}`);
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  try {
    const files: Record<string, number> = {};
    for (const table of TABLES) {
      files[fileOf(table)] = await writeArrow(join(fresh, fileOf(table)), tableOf(columnsOf(trace, table)));
    }
    files[fileOf('strings')] = await writeArrow(join(fresh, fileOf('strings')), textTableOf(texts));
    const manifest: Manifest = { facts: factsOf(trace), files };
    await writeSynced(join(fresh, MANIFEST), JSON.stringify(manifest));
    // What is there without a manifest is a remnant.
    if ((await readManifest(join(folder, key))) === undefined) await remove(folder, key);
    await rename(fresh, join(folder, key));
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster: what it kept is the same.
    if (!isTaken(error)) throw error;
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The trace that is kept in `folder/key`; `undefined` where there is none, or not a whole one. */
export async function readKept(folder: string, key: string, file: string): Promise<Trace | undefined> {
  const home = join(folder, key);
  const manifest = await readManifest(home);
  if (manifest === undefined) return undefined;
  let trace: Trace | undefined;
  try {
    trace = await readTables(home, manifest, file);
  } catch {
    // Removed meanwhile by another process, or damaged: the file itself is read instead.
  }
  if (trace === undefined) {
    await remove(folder, key);
    return undefined;
  }
  const now = new Date();
  // Whoever was used last goes last. It is no matter if the folder cannot be written to.
  await utimes(join(home, MANIFEST), now, now).catch(() => undefined);
  return trace;
}

async function readTables(home: string, { facts, files }: Manifest, file: string): Promise<Trace | undefined> {
  const sizeOf = (table: string): number => files[fileOf(table)] ?? -1;
  const [texts, ...tables] = await Promise.all([
    readTexts(join(home, fileOf('strings')), sizeOf('strings')),
    ...TABLES.map((table) => readColumns(join(home, fileOf(table)), sizeOf(table))),
  ]);
  if (texts === undefined || !tables.every((table) => table !== undefined)) return undefined;
  const byName = Object.fromEntries(TABLES.map((table, at) => [table, tables[at]])) as Record<TableName, ReadTable>;
  return assembleTrace(file, facts, byName, texts);
}

async function readManifest(home: string): Promise<Manifest | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(home, MANIFEST), 'utf8'));
    return typeof manifest === 'object' && manifest !== null && 'facts' in manifest && 'files' in manifest
      ? (manifest as Manifest)
      : undefined;
  } catch {
    // There is none, or it is damaged: as if nothing were kept.
    return undefined;
  }
}

/** Renamed first, so that nobody finds a folder that is half removed. */
async function remove(folder: string, key: string): Promise<void> {
  const away = join(folder, `${UNFINISHED}${key}-${randomUUID()}`);
  await rename(join(folder, key), away).catch(() => undefined);
  await rm(away, { recursive: true, force: true });
}

/** Removes what was not used for longest until at most `mostBytes` are left, and what others left behind. Rejects with Node's error. */
export async function tidy(folder: string, mostBytes: number): Promise<void> {
  const kept: { readonly key: string; readonly bytes: number; readonly usedMs: number }[] = [];
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const home = join(folder, name);
    if (name.startsWith(UNFINISHED)) {
      const { mtimeMs } = await stat(home).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > LEFT_BEHIND_MS) await rm(home, { recursive: true, force: true });
      continue;
    }
    const manifest = await readManifest(home);
    const used = await stat(join(home, MANIFEST)).catch(() => undefined);
    // What we did not write is not ours to remove.
    if (manifest === undefined || used === undefined) continue;
    const bytes = Object.values(manifest.files).reduce((sum, size) => sum + size, 0);
    kept.push({ key: name, bytes, usedMs: used.mtimeMs });
  }
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const each of kept.sort((a, b) => a.usedMs - b.usedMs)) {
    if (bytes <= mostBytes) return;
    await remove(folder, each.key);
    bytes -= each.bytes;
  }
}
