import { ANALYSES, type OptionsOf, type ResultOf } from '../../analyses/registry.ts';
import { parseEventHandle } from '../../library/event-handle.ts';
import type { Session } from '../../session/session.ts';
import { answer } from '../answer.ts';
import { graphOptionsOf, limitOf, type Flags } from '../args.ts';
import { UsageError, type ExitCode } from '../exit.ts';
import { renderCall } from '../../fleet/render-call.ts';
import { openInput, type JobInput } from '../input.ts';
import { limitList } from '../json.ts';
import { LIMITS } from '../limits.ts';

type EventHandle = OptionsOf<'explain'>['event'];

const EXAMPLE = 'longpole explain trace.json.gz e-123';
const JOB_EXAMPLE = 'longpole explain FOLDER r-3/e-123';

export async function run(args: readonly string[], flags: Flags): Promise<ExitCode> {
  const { paths, handle } = splitArgs(args);
  const { rank, event } = parseHandle(handle);
  const session = await openInput('explain', paths, flags);
  ensureKnown(session, rank, event);
  const links = limitOf(flags) ?? LIMITS.explain;
  const outcome = session.run('explain', { event, links, ...(await graphOptionsOf(flags)) });
  return answer('explain', session, flags, outcome, {
    limit: LIMITS.explain,
    toText: ANALYSES.explain.renderText,
    toJson: explainDocument,
  });
}

/** Of several ranks: the event by itself, and where it is a call in which ranks meet, who came when. */
export async function runJob(input: JobInput, flags: Flags): Promise<ExitCode> {
  const [text = ''] = input.rest;
  const { rank, event } = parseHandle(text);
  if (rank === undefined) throw new UsageError(`'${text}' is of any rank; say which: r-0/${text}`);
  const { explainAcross } = await import('../job-explain.ts');
  const { file, across } = await explainAcross(input, flags, rank, event);
  const session = await openInput('explain', [file.path], flags);
  ensureKnown(session, undefined, event);
  const links = limitOf(flags) ?? LIMITS.explain;
  const outcome = session.run('explain', { event, links, ...(await graphOptionsOf(flags)) });
  return answer('explain', session, flags, outcome, {
    limit: LIMITS.explain,
    toText: (result, options) =>
      [ANALYSES.explain.renderText(result, options), renderCall(across, options)].filter(Boolean).join('\n'),
    toJson: (result, limit) => ({
      ...explainDocument(result, limit),
      rank,
      across: across.status === 'ok' ? across.result : across,
    }),
  });
}

function explainDocument({ rivals, holds, ...rest }: ResultOf<'explain'>, limit: number | undefined): object {
  const { coverage, notes, edges, ...head } = rest;
  return {
    ...head,
    ...limitList('rivals', rivals, limit),
    ...limitList('holds', holds, limit),
    ...(edges === undefined ? {} : limitList('edges', edges, limit)),
    coverage,
    notes,
  };
}

/** The event comes last, behind the trace. */
function splitArgs(args: readonly string[]): { paths: readonly string[]; handle: string } {
  const handle = args.at(-1);
  if (handle === undefined || args.length < 2) {
    throw new UsageError(`explain needs a trace and an event; for example: ${EXAMPLE}`);
  }
  return { paths: args.slice(0, -1), handle };
}

function parseHandle(text: string): { readonly rank?: number; readonly event: EventHandle } {
  const parsed = parseEventHandle(text);
  if (parsed !== undefined) return parsed;
  const example = /^r-?\d/.test(text) ? JOB_EXAMPLE : EXAMPLE;
  throw new UsageError(`'${text}' is no event: give its handle e-123, or corr:1411; for example: ${example}`);
}

function ensureKnown({ trace }: Session, rank: number | undefined, event: EventHandle): void {
  const own = trace.rank ?? 0;
  if (rank !== undefined && rank !== own) throw new UsageError(`${trace.file} is rank ${own}, not rank ${rank}`);
  if (event.kind === 'position') {
    if (event.position < trace.eventCount) return;
    const range = trace.eventCount === 0 ? 'it has no events' : `its events are e-0 to e-${trace.eventCount - 1}`;
    throw new UsageError(`${trace.file}: no event e-${event.position}; ${range}`);
  }
  const { correlation } = trace.events;
  for (let e = 0; e < correlation.length; e++) if (correlation[e] === event.correlation) return;
  throw new UsageError(`${trace.file}: no event has correlation ${event.correlation}`);
}
