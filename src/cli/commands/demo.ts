import { Readable } from 'node:stream';
import { COMPOSITIONS } from '../../analyses/registry.ts';
import { escapeText, wrapText } from '../../base/format.ts';
import { TraceReader } from '../../ingest/read-trace.ts';
import { createSession, type Session } from '../../session/session.ts';
import { kinetoTrace } from '../../sim/kineto.ts';
import type { Job } from '../../sim/program.ts';
import { READY_PROGRAMS, demoJob } from '../../sim/programs/ready-programs.ts';
import { JobRun } from '../../sim/run.ts';
import { answer } from '../answer.ts';
import { type Flags, quote } from '../args.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { writeNote, writeOut } from '../output.ts';
import { reportDocument } from '../report-document.ts';
import { findNearest } from '../suggest.ts';
import { ensureTarget, writeTarget } from '../target.ts';

/** Ranks cannot be read together yet. */
const RANK = 0;

/** The report of a job that never ran: simulated, in memory, the same at any time. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  if (paths.length > 0) throw new UsageError('demo reads no trace; for your own: longpole trace.json.gz');
  if (flags.program === 'list') return listPrograms();
  const job = chosenJob(flags.program);
  const texts = kinetoTrace(job, new JobRun(job).truthOf(RANK)).chunks;
  if (flags.out !== undefined) {
    await ensureTarget('--out', { from: '', to: flags.out });
    await save(texts, flags.out);
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

function chosenJob(name: string | undefined): Job {
  if (name === undefined) return demoJob();
  const known = Object.entries(READY_PROGRAMS).find(([each]) => each === name);
  if (known !== undefined) return known[1]();
  const near = findNearest(name, Object.keys(READY_PROGRAMS));
  const hint = near === undefined ? 'see longpole demo --program list' : `did you mean ${near}?`;
  throw new UsageError(`--program ${quote(name)}: no such program; ${hint}`);
}

async function listPrograms(): Promise<ExitCode> {
  const width = Math.max(...Object.keys(READY_PROGRAMS).map((name) => name.length));
  for (const [name, make] of Object.entries(READY_PROGRAMS)) await writeOut(`${name.padEnd(width)}  ${make().story}\n`);
  return ExitCode.answered;
}

function aboutText({ story, ranks }: Job): string {
  const lines = ['A demo: a simulated job, of which nothing was measured.', story];
  if (ranks.length > 1) {
    lines.push(`It has ${ranks.length} ranks, and this is rank ${RANK}: several cannot be read together yet.`);
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
