import { escapeText, formatPlural } from '../../base/format.ts';
import { findRankFiles } from '../../session/job/rank-files.ts';
import { mapFiles, type Mapped } from '../../session/job/open-job.ts';
import { type Flags } from '../args.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { mapOptionsOf } from '../job-input.ts';
import { writeError, writeNote } from '../output.ts';
import { refusalOf } from '../target.ts';

const EXAMPLE = 'longpole map rank3.json.gz --out summaries';

/** One half of a job's report: what it needs of each rank, in a file of its own. Other machines may do other ranks at the same time. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  if (paths.length === 0) throw new UsageError(`no trace given; for example: ${EXAMPLE}`);
  const { out } = flags;
  if (out === undefined || out === '') throw new UsageError(`map needs a folder to write to; for example: ${EXAMPLE}`);
  const options = await mapOptionsOf(flags);
  const found = await findRankFiles(paths);
  if (found.kind === 'none') throw new UsageError(`${found.path}: no such file; for example: ${EXAMPLE}`);
  const count: Record<Mapped, number> = { mapped: 0, kept: 0, failed: 0 };
  await mapFiles(found.files, options, out, ({ path }, what, why) => {
    count[what]++;
    if (what === 'failed') writeError(`${path}: ${why}`);
  }).catch(refusalOf('--out', out));
  const kept = count.kept === 0 ? '' : `, ${count.kept} there already`;
  const failed = count.failed === 0 ? '' : `, ${count.failed} that cannot be read`;
  writeNote(`${escapeText(out)}: ${formatPlural(count.mapped, 'rank')} mapped${kept}${failed}`);
  return count.failed === 0 ? ExitCode.answered : ExitCode.usage;
}
