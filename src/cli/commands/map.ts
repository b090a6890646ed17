import { escapeText, formatPlural } from '../../base/format.ts';
import type { MapFileOptions } from '../../session/job/map-rank-file.ts';
import { findRankFiles, type RankFile } from '../../session/job/rank-files.ts';
import { filesOfTask, readManifest } from '../../session/job/slurm/manifest.ts';
import { mapFiles, type Mapped } from '../../session/job/open-job.ts';
import { type Flags, wholeNumberFlag } from '../args.ts';
import { WHY_NONE } from '../choose-input.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { mapOptionsOf } from '../job-input.ts';
import { writeError, writeNote } from '../output.ts';
import { refusalOf } from '../target.ts';

const EXAMPLE = 'longpole map rank3.json.gz --out summaries';

/** One half of a job's report: what it needs of each rank, in a file of its own. Other machines may do other ranks at the same time. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  if (flags.manifest !== undefined) return runTask(flags.manifest, flags);
  if (paths.length === 0) throw new UsageError(`no trace given; for example: ${EXAMPLE}`);
  const { out } = flags;
  if (out === undefined || out === '') throw new UsageError(`map needs a folder to write to; for example: ${EXAMPLE}`);
  const options = await mapOptionsOf(flags);
  const found = await findRankFiles(paths);
  if (found.kind === 'none') throw new UsageError(`${found.path}: ${WHY_NONE[found.why]}; for example: ${EXAMPLE}`);
  const failed = await mapInto(out, found.files, options);
  return failed === 0 ? ExitCode.answered : ExitCode.usage;
}

/** A task of an array: a file that cannot be read is written down as such, so that the task is done. */
async function runTask(path: string, { task = '' }: Flags): Promise<ExitCode> {
  const manifest = await readManifest(path);
  const files = filesOfTask(manifest, wholeNumberFlag('--task', task, '--task 0'));
  await mapInto(manifest.out, files, manifest.options);
  return ExitCode.answered;
}

async function mapInto(out: string, files: readonly RankFile[], options: MapFileOptions): Promise<number> {
  const count: Record<Mapped, number> = { mapped: 0, kept: 0, failed: 0 };
  await mapFiles(files, options, out, ({ path }, what, why) => {
    count[what]++;
    if (what === 'failed') writeError(`${path}: ${why}`);
  }).catch(refusalOf('--out', out));
  const kept = count.kept === 0 ? '' : `, ${count.kept} there already`;
  const failed = count.failed === 0 ? '' : `, ${count.failed} that cannot be read`;
  writeNote(`${escapeText(out)}: ${formatPlural(count.mapped, 'rank')} mapped${kept}${failed}`);
  return count.failed;
}
