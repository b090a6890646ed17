// A job from files: each rank's file is mapped, here or elsewhere, and what comes of them is put together.
import { join } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import { assembleJob, type Job, type MappedFile, type UnreadFile } from '../../fleet/job.ts';
import { SharedTexts, decodeSummary } from '../../fleet/rank-summary.ts';
import type { EntryParts } from '../../fleet/skeleton.ts';
import { PartsReader } from './parts-reader.ts';
import { cacheKeyOf } from '../cache/cache-key.ts';
import { describeOpenError } from '../open-node.ts';
import { mapInPool, type MapReply } from './map-pool.ts';
import type { MapFileOptions } from './map-rank-file.ts';
import type { RankFile } from './rank-files.ts';
import { isMapped, listSummaries, readSummary, summaryName, writeSummary, type SummaryHead } from './summary-file.ts';

/** Maps files somewhere and tells what became of each, in any order. */
export type Executor = (
  files: readonly RankFile[],
  options: MapFileOptions,
  onReply: (file: RankFile, reply: MapReply) => Promise<void> | void,
) => Promise<void>;

/** How many files are done, of how many. */
export type JobProgress = (done: number, total: number) => void;

/** The job of these files: map and reduce in one process, unless the executor maps elsewhere. */
export async function openJob(
  files: readonly RankFile[],
  options: MapFileOptions,
  onProgress: JobProgress = () => {},
  executor: Executor = mapInPool,
): Promise<Job> {
  const collected = new JobParts();
  await executor(files, options, (file, reply) => {
    collected.add(file, reply);
    onProgress(collected.count, files.length);
  });
  return collected.assemble();
}

/** What came of each file so far. Summaries are decoded when they come, so that no text is held. */
class JobParts {
  readonly #mapped: MappedFile[] = [];
  readonly #unread: UnreadFile[] = [];
  readonly #shared = new SharedTexts();

  get count(): number {
    return this.#mapped.length + this.#unread.length;
  }

  add({ name, folder }: Pick<RankFile, 'name' | 'folder'>, reply: MapReply, fetchParts?: () => EntryParts): void {
    const summary = reply.ok ? decodeSummary(reply.value, this.#shared, fetchParts) : undefined;
    if (summary !== undefined) this.#mapped.push({ name, folder, summary });
    else this.#unread.push({ name, folder, why: reply.ok ? 'its summary is damaged: map it again' : reply.error });
  }

  assemble(): Job {
    return assembleJob(this.#mapped, this.#unread);
  }
}

/** What `mapFiles` did with one file. */
export type Mapped = 'mapped' | 'kept' | 'failed';

/**
 * Maps files into a folder, a file of its own for each, which appears whole or not at all. What is there already and fits (the same bytes,
 * read in the same way) is kept; whatever failed before is tried again. Rejects with Node's error where the folder cannot be written.
 */
export async function mapFiles(
  files: readonly RankFile[],
  options: MapFileOptions,
  out: string,
  onDone: (file: RankFile, what: Mapped, why: string) => void = () => {},
): Promise<void> {
  const optionsKey = keyOfOptions(options);
  const heads = new Map<string, SummaryHead>();
  const todo: RankFile[] = [];
  for (const file of files) {
    const { path, name, folder } = file;
    const key = await cacheKeyOf(path, { file: name, fallbackRank: undefined, skip: options.skip ?? [] }).catch(
      () => '',
    );
    heads.set(path, { name, folder, key, options: optionsKey });
    if (key !== '' && (await isMapped(join(out, summaryName(file)), key, optionsKey))) onDone(file, 'kept', '');
    else todo.push(file);
  }
  await mapInPool(todo, options, async (file, reply) => {
    const head = heads.get(file.path) ?? { name: file.name, folder: file.folder, key: '', options: optionsKey };
    const body = reply.ok
      ? { kind: 'summary' as const, json: reply.value }
      : { kind: 'failure' as const, why: reply.error };
    await writeSummary(out, summaryName(file), { head, body });
    onDone(file, reply.ok ? 'mapped' : 'failed', reply.ok ? '' : reply.error);
  });
}

/** Options that make no difference have the same key. */
export function keyOfOptions(options: MapFileOptions): string {
  const known = Object.entries(options).filter(([name]) => name !== 'maxBytes');
  return JSON.stringify(Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The job that was mapped into a folder, or in a line why there is none. Does not reject. */
export async function openMapped(folder: string, onProgress: JobProgress = () => {}): Promise<Result<Job, string>> {
  let names: readonly string[];
  try {
    names = await listSummaries(folder);
  } catch (error) {
    return err(describeOpenError(error).message);
  }
  if (names.length === 0) return err('no summaries in it; longpole map RANKFILE… --out DIR writes them');
  const collected = new JobParts();
  const ways = new Map<string, string>();
  const readOne = (at: number): ReturnType<typeof readSummary> =>
    readSummary(join(folder, names[at])).catch((error: unknown) => err(describeOpenError(error).message));
  // The next one is read and inflated while this one is taken apart.
  let coming = readOne(0);
  const parts = new PartsReader();
  for (const [at, name] of names.entries()) {
    const path = join(folder, name);
    const read = await coming;
    if (at + 1 < names.length) coming = readOne(at + 1);
    if (!read.ok) {
      collected.add({ name, folder: '' }, read);
      continue;
    }
    const { head, body } = read.value;
    collected.add(head, body.kind === 'summary' ? ok(body.json) : err(body.why), () => parts.read(path));
    if (body.kind === 'summary') ways.set(head.options, head.name);
    onProgress(at + 1, names.length);
  }
  const [one, other] = [...ways.values()];
  if (other !== undefined) return err(`${one} and ${other} were mapped with different options; map one of them again`);
  return ok(collected.assemble());
}
