import { err, ok, type Result } from '../../base/result.ts';
import { encodeSummary } from '../../fleet/rank-summary.ts';
import { mapRank, type MapOptions } from '../../library/map-rank.ts';
import { openTrace } from '../open-node.ts';
import type { RankFile } from './rank-files.ts';

/** How the files of a job are read and looked at; plain data, since it goes to threads and other machines. */
export interface MapFileOptions extends MapOptions {
  readonly skip?: readonly string[];
  readonly maxBytes?: number;
}

/** Reads one rank's trace and says what a job needs of it, as `decodeSummary` reads it; or in a line why it cannot. Does not reject. */
export async function mapRankFile({ path, name }: RankFile, options: MapFileOptions): Promise<Result<string, string>> {
  const { skip, maxBytes, ...scope } = options;
  const read = await openTrace(path, {
    file: name,
    ...(skip === undefined ? {} : { skip }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  if (read.ok) return ok(encodeSummary(mapRank(read.value, scope)));
  const { message, byteOffset, hint } = read.error;
  const where = byteOffset === undefined || message.includes('at byte') ? '' : ` at byte ${byteOffset}`;
  return err(`${message}${where}${hint === undefined ? '' : `; ${hint}`}`);
}
