/** `report FOLDER --executor slurm`: mapped and reduced on a cluster, printed here. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { escapeText, formatCount, formatPlural } from '../base/format.ts';
import { SlurmError } from '../session/job/slurm/slurm-commands.ts';
import { runOnSlurm, type SlurmProgress, type SlurmReport } from '../session/job/slurm/slurm-run.ts';
import { type Flags, quote, wholeNumberFlag } from './args.ts';
import { ExitCode, UsageError } from './exit.ts';
import type { JobInput } from './input.ts';
import { mapOptionsOf } from './job-input.ts';
import { startProgress, writeNote, writeOut } from './output.ts';
import { writeTarget } from './target.ts';

export async function reportOnSlurm({ files }: JobInput, flags: Flags): Promise<ExitCode> {
  const to = flags.html === undefined || flags.html === '-' ? undefined : flags.html;
  const progress = startProgress('mapping', `${files.length} ranks`, formatCount);
  const report = await runOnSlurm({
    files,
    options: await mapOptionsOf(flags),
    reduceArgs: reduceArgsOf(flags),
    program: [process.execPath, await realpath(process.argv[1] ?? '')],
    ...(flags.out === undefined ? {} : { out: flags.out }),
    ...partitionOf(flags),
    ranksPerTask:
      flags.ranksPerTask === undefined
        ? 1
        : wholeNumberFlag('--ranks-per-task', flags.ranksPerTask, '--ranks-per-task 8'),
    onProgress: (each) => tell(each, progress),
  }).catch((error: unknown) => {
    if (error instanceof SlurmError) throw new UsageError(`--executor slurm: ${error.message}`);
    throw error;
  });
  progress.done();
  return print(report, to);
}

async function print({ answer, errors, code }: SlurmReport, to: string | undefined): Promise<ExitCode> {
  if (errors !== '') writeNote(escapeText(errors.trimEnd()).replaceAll('\\n', '\n'));
  if (to === undefined) await writeOut(answer.toString('utf8'));
  else {
    await writeTarget('--html', to, Readable.from([answer]));
    writeNote(`wrote ${escapeText(to)}`);
  }
  const known = Object.values(ExitCode).find((each) => each === code);
  return known ?? ExitCode.bug;
}

function partitionOf({ partition }: Flags): { readonly partition?: string } {
  if (partition === undefined) return {};
  if (/^[\w.,-]+$/.test(partition) && !partition.startsWith('-')) return { partition };
  throw new UsageError(`--partition ${quote(partition)} is no name of a partition; for example --partition short`);
}

/** Those flags of `report` that say how it is printed. */
function reduceArgsOf({ json, markdown, html, limit, fullNames, groups }: Flags): string[] {
  return [
    ...(json === true ? ['--json'] : []),
    ...(markdown === true ? ['--markdown'] : []),
    ...(html === undefined ? [] : ['--html', '-']),
    ...(limit === undefined ? [] : ['--limit', limit]),
    ...(fullNames === true ? ['--full-names'] : []),
    ...(groups === undefined ? [] : ['--groups', resolve(groups)]),
  ];
}

function tell(each: SlurmProgress, progress: ReturnType<typeof startProgress>): void {
  switch (each.kind) {
    case 'submitted': {
      const { map, reduce, tasks, ranks } = each;
      writeNote(
        `slurm: job ${map}, an array of ${formatPlural(tasks, 'task')} for ${formatPlural(ranks, 'rank')}; job ${reduce} reduces`,
      );
      return;
    }
    case 'mapped':
      progress.update(each.done, each.done / each.of);
      return;
    case 'retry':
      progress.done();
      writeNote(`slurm: ${formatPlural(each.tasks, 'task')} failed (${each.why}) and is tried again`);
  }
}
