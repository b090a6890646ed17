import { readFile } from 'node:fs/promises';
import type { MapFileOptions } from '../map-rank-file.ts';
import type { RankFile } from '../rank-files.ts';

/** What the tasks of an array are told: which files there are, and how they are read. */
export interface Manifest {
  readonly files: readonly RankFile[];
  readonly ranksPerTask: number;
  readonly options: MapFileOptions;
  /** Where the summaries go. */
  readonly out: string;
}

/** As this program wrote it. Rejects where it cannot be read. */
export const readManifest = async (path: string): Promise<Manifest> =>
  JSON.parse(await readFile(path, 'utf8')) as Manifest;

/** The files of one task. */
export const filesOfTask = (
  { files, ranksPerTask }: Pick<Manifest, 'files' | 'ranksPerTask'>,
  task: number,
): readonly RankFile[] => files.slice(task * ranksPerTask, (task + 1) * ranksPerTask);
