import { Readable } from 'node:stream';
import { COMPOSITIONS } from '../../analyses/registry.ts';
import { escapeText, formatPlural, wrapText } from '../../base/format.ts';
import { TraceReader } from '../../ingest/read-trace.ts';
import { createSession, type Session } from '../../session/session.ts';
import { kinetoTrace } from '../../sim/kineto.ts';
import type { Job } from '../../sim/program.ts';
import { READY_PROGRAMS, type ReadyKnobs, demoJob } from '../../sim/programs/ready-programs.ts';
import { JobRun } from '../../sim/run.ts';
import { answer } from '../answer.ts';
import { type Flags, quote, wholeNumberFlag } from '../args.ts';
import { shellText } from '../changes.ts';
import { writeDemoFolder } from '../demo-folder.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { jsonChunks } from '../json.ts';
import { writeNote, writeOut } from '../output.ts';
import { reportDocument } from '../report-document.ts';
import { findNearest } from '../suggest.ts';
import { ensureTarget, writeTarget } from '../target.ts';

/** Whose report is shown; the job's needs the files of all. */
const RANK = 0;

/** The report of a job that never ran: simulated, in memory, the same at any time. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  if (paths.length > 0) throw new UsageError('demo reads no trace; for your own: longpole trace.json.gz');
  if (flags.program === 'list') return listPrograms();
  const job = chosenJob(flags.program, ranksOf(flags));
  const { out } = flags;
  if (flags.ranks !== undefined) {
    if (out === '') throw new UsageError('--out is empty; name a folder, for example --out job');
    if (out === undefined) {
      throw new UsageError('--ranks writes a trace a rank; name their folder, for example --out job');
    }
    await writeDemoFolder(out, job);
    return sayNext(out, job, flags);
  }
  const texts = kinetoTrace(job, new JobRun(job).truthOf(RANK)).chunks;
  if (out !== undefined) {
    await ensureTarget('--out', { from: '', to: out });
    await save(texts, out);
  }
  const session = sessionOf(texts, `${job.name}, simulated`);
  const { info, outcome } = session.report();
  const answered = outcome.status === 'ok' ? outcome : { ...outcome, info };
  const about = aboutText(job);
  return answer('demo', session, flags, answered, {
    limit: 10,
    toText: (result, options) => `${options.style('dim', about)}\n\n${COMPOSITIONS.report.renderText(result, options)}`,
    toJson: (result, limit) => ({
      demo: { program: job.name, story: job.story, ranks: job.ranks.length, rank: RANK },
      ...reportDocument(result, limit),
    }),
  });
}

/** A job of more would take long to simulate, and says no more. */
const MOST_RANKS = 64;

function ranksOf({ ranks }: Flags): number | undefined {
  if (ranks === undefined) return undefined;
  const count = wholeNumberFlag('--ranks', ranks, '--ranks 8');
  if (count < 2 || count > MOST_RANKS) throw new UsageError(`--ranks ${quote(ranks)}: from 2 to ${MOST_RANKS}`);
  return count;
}

function chosenJob(name: string | undefined, ranks: number | undefined): Job {
  const knobs = ranks === undefined ? {} : { ranks };
  const job = name === undefined ? demoJob(knobs) : programOf(name)(knobs);
  if (ranks === undefined || job.ranks.length === ranks) return job;
  throw new UsageError(`--ranks: the program ${job.name} has ${formatPlural(job.ranks.length, 'rank')} and no more`);
}

function programOf(name: string): (knobs: ReadyKnobs) => Job {
  const known = Object.entries(READY_PROGRAMS).find(([each]) => each === name);
  if (known !== undefined) return known[1];
  const near = findNearest(name, Object.keys(READY_PROGRAMS));
  const hint = near === undefined ? 'see longpole demo --program list' : `did you mean ${near}?`;
  throw new UsageError(`--program ${quote(name)}: no such program; ${hint}`);
}

async function listPrograms(): Promise<ExitCode> {
  const width = Math.max(...Object.keys(READY_PROGRAMS).map((name) => name.length));
  for (const [name, make] of Object.entries(READY_PROGRAMS)) await writeOut(`${name.padEnd(width)}  ${make().story}\n`);
  return ExitCode.answered;
}

/** The answer is the job's, which is read from its files as any other. */
async function sayNext(folder: string, job: Job, flags: Flags): Promise<ExitCode> {
  const { name, story, ranks } = job;
  const next = `longpole ${shellText(folder)}`;
  if (flags.json) {
    await writeOut(
      jsonChunks({ schema: 'longpole.demo/1', demo: { program: name, story, ranks: ranks.length, next } }),
    );
    return ExitCode.answered;
  }
  const about = storyLines(job).map((line) => wrapText(line, 100));
  await writeOut(
    `${about.join('\n')}\n\nThe traces of its ${ranks.length} ranks are written. Next:\n  ${escapeText(next)}\n`,
  );
  return ExitCode.answered;
}

const storyLines = ({ story }: Job): string[] => ['A demo: a simulated job, of which nothing was measured.', story];

function aboutText(job: Job): string {
  const { ranks } = job;
  const lines = storyLines(job);
  if (ranks.length > 1) {
    lines.push(
      `It has ${ranks.length} ranks, and this is rank ${RANK}; for all of them: longpole demo --ranks ${ranks.length} --out job`,
    );
  }
  return lines.map((line) => wrapText(line, 100)).join('\n');
}

function sessionOf(texts: Iterable<string>, file: string): Session {
  const reader = new TraceReader({ file });
  const encoder = new TextEncoder();
  for (const text of texts) reader.push(encoder.encode(text));
  const read = reader.finish();
  if (!read.ok) throw new Error(`bug: the simulated trace cannot be read: ${read.error.message}`);
  return createSession(read.value);
}

async function save(texts: Iterable<string>, to: string): Promise<void> {
  await writeTarget('--out', to, Readable.from(texts));
  writeNote(`wrote ${escapeText(to)}`);
}
