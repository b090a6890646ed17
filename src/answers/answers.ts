/** What the page is told of one trace, whoever asks for it: a server, or a worker in the browser. */
import { COMPOSITIONS, type OptionsOf } from '../analyses/registry.ts';
import { type Result, err, ok } from '../base/result.ts';
import { summarizeDiagnostics } from '../library/data-health.ts';
import type { Report, Session } from '../library/session.ts';
import type { CallName, Calls, Overview } from '../protocol/calls.ts';
import { encodeTimeline } from '../protocol/timeline.ts';
import { buildTimeline } from './build-timeline.ts';
import { memorySeries } from './memory.ts';
import { type NotesStore, NO_NOTES } from './notes-store.ts';
import { breakdownPanel, healthPanel, idlePanel, kernelsPanel } from './panels.ts';
import { type RowSource, eventDetails, rowsByPosition } from './event-details.ts';

/** The timeline once, and the rest as the page asks. */
export interface Answers {
  /** Encoded; made when it is first wanted. */
  timeline(): Uint8Array<ArrayBuffer>;
  /** `ask` comes from outside and is checked here. An error says what is wrong with it. */
  ask(name: CallName, ask: unknown): Promise<Result<Calls[CallName]['reply'], string>>;
}

export interface AnswerOptions {
  /** Whose path is shown. */
  readonly path: OptionsOf<'critical-path'>;
  readonly rows: RowSource;
  /** Rows at these offsets, ascending, in one pass; absent where that cannot be had. */
  readonly readRows?: (byteOffsets: readonly number[]) => Promise<RowSource>;
  /** Where notes are kept; absent where there is no place for them. */
  readonly notes?: NotesStore;
  /** Lets questions in that came meanwhile: a slow answer is made in steps. */
  readonly rest: () => Promise<void>;
}

/** Links of a chain at most. */
const LINKS = 24;

const PANELS = { breakdown: breakdownPanel, idle: idlePanel, kernels: kernelsPanel, health: healthPanel } as const;
const isPanel = (name: CallName): name is keyof typeof PANELS => Object.hasOwn(PANELS, name);

export function createAnswers(
  session: Session,
  { path, rows, rest, notes = NO_NOTES, readRows }: AnswerOptions,
): Answers {
  const rowAt = rowsByPosition(session.trace);
  let timeline: Uint8Array<ArrayBuffer> | undefined;
  let overview: Promise<Overview> | undefined;
  let memory: ReturnType<typeof memorySeries> | undefined;
  return {
    timeline: () => (timeline ??= encodeTimeline(buildTimeline(session, path))),
    async ask(name, ask) {
      if (name === 'overview') return ok(await (overview ??= makeOverview(session, path, rest)));
      if (name === 'memory') {
        return ok(readRows === undefined ? { series: [] } : await (memory ??= memorySeries(session, readRows)));
      }
      if (name === 'notes') return ok(await notes.read());
      if (name === 'keep-notes') return notes.keep(ask);
      if (isPanel(name)) return ok(PANELS[name](session, path));
      const position = positionOf(ask);
      const row = position === undefined ? undefined : rowAt(position);
      if (position === undefined || row === undefined) return err('no such event');
      return name === 'event'
        ? ok(await eventDetails(session.trace, rows, row))
        : ok(explainAt(session, path, position));
    },
  };
}

/** Why the event at a position of the file began when it did. */
export function explainAt(
  session: Session,
  { exact = false, legacyDefaultStream = false, classRules }: AnswerOptions['path'],
  position: number,
): Calls['explain']['reply'] {
  const rules = classRules === undefined ? {} : { classRules };
  const event = { kind: 'position', position } as const;
  return session.run('explain', { event, links: LINKS, exact, legacyDefaultStream, ...rules });
}

function positionOf(ask: unknown): number | undefined {
  if (typeof ask !== 'object' || ask === null || !('event' in ask)) return undefined;
  return typeof ask.event === 'number' && Number.isSafeInteger(ask.event) && ask.event >= 0 ? ask.event : undefined;
}

async function makeOverview(session: Session, path: AnswerOptions['path'], rest: () => Promise<void>) {
  const steps = session.reportSteps(path);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return overviewOf(session, step.value);
    await rest();
  }
}

/** The report as the page shows it. */
export function overviewOf(session: Session, { info, outcome }: Report): Overview {
  const { report } = COMPOSITIONS;
  const damage = summarizeDiagnostics(session.trace.diagnostics);
  const document =
    outcome.status === 'ok'
      ? report.documentOf(outcome.result, { fullNames: false })
      : report.healthDocument(info, outcome.reason);
  return {
    document: { ...document, notes: [...document.notes, ...(damage === undefined ? [] : [damage])] },
    parts: outcome.status === 'ok' ? outcome.result.verdict.parts : [],
    wins: outcome.status === 'ok' ? (outcome.result.criticalPath.wins ?? []) : [],
  };
}
