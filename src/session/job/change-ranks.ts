// Ranks of a job after changes within them: each is read again, one after the other, so that one trace is held at a time.
import type { AskedChange } from '../../analyses/what-if/options.ts';
import type { JobMember } from '../../fleet/job.ts';
import { changeRank, type RankForecast } from '../../library/change-rank.ts';
import { openTrace } from '../open-node.ts';
import type { MapFileOptions } from './map-rank-file.ts';
import type { RankFile } from './rank-files.ts';

/** By rank what the changes make of it. A file that can no longer be read is `refused`. Does not reject. */
export async function changeRanks(
  members: readonly JobMember[],
  files: readonly RankFile[],
  options: MapFileOptions,
  asked: readonly AskedChange[],
  onDone: (done: number) => void = () => {},
): Promise<ReadonlyMap<number, RankForecast>> {
  const { skip, maxBytes, ...scope } = options;
  const found = new Map<number, RankForecast>();
  for (const { rank, name, folder, skeleton } of members) {
    const file = files.find((each) => each.name === name && each.folder === folder);
    const read =
      file &&
      (await openTrace(file.path, {
        file: name,
        ...(skip === undefined ? {} : { skip }),
        ...(maxBytes === undefined ? {} : { maxBytes }),
      }));
    const refused = { status: 'refused', reason: `${name} is not what it was when it was mapped` } as const;
    const forecast = read?.ok === true ? changeRank(read.value, scope, asked) : refused;
    const isSame = forecast.status !== 'changed' || forecast.after.skeleton.endOf.length === skeleton?.endOf.length;
    found.set(rank, isSame ? forecast : refused);
    onDone(found.size);
  }
  return found;
}
