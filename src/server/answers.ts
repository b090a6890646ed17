import { COMPOSITIONS, type OptionsOf } from '../analyses/registry.ts';
import { type Result, err, ok } from '../base/result.ts';
import type { CallName, Calls, Overview } from '../protocol/calls.ts';
import { encodeTimeline } from '../protocol/timeline.ts';
import { summarizeDiagnostics } from '../session/data-health.ts';
import { eventDetails, rowsByPosition } from '../session/event-details.ts';
import type { Session } from '../session/session.ts';
import { buildTimeline } from '../session/timeline/build-timeline.ts';

/** What the page is told: the timeline once, and the rest as it asks. */
export interface Answers {
  readonly timeline: Uint8Array<ArrayBuffer>;
  /** `ask` comes from outside and is checked here. An error says what is wrong with it. */
  ask(name: CallName, ask: unknown): Promise<Result<Calls[CallName]['reply'], string>>;
}

/** Links of a chain at most. */
const LINKS = 24;

type PathOptions = OptionsOf<'critical-path'>;

/** `path`: where args are read again from; `-` has nothing to read again. */
export function createAnswers(
  session: Session,
  path: string,
  options: PathOptions,
  /** Around all that computes for long. */
  whileBusy: <T>(compute: () => T) => T = (compute) => compute(),
): Answers {
  const rowAt = rowsByPosition(session.trace);
  let overview: Overview | undefined;
  return {
    timeline: encodeTimeline(buildTimeline(session, options)),
    async ask(name, ask) {
      if (name === 'overview') return ok((overview ??= whileBusy(() => overviewOf(session, options))));
      const position = positionOf(ask);
      const row = position === undefined ? undefined : rowAt(position);
      if (position === undefined || row === undefined) return err('no such event');
      if (name === 'event') return ok(await eventDetails(session.trace, path, row));
      const { exact = false, legacyDefaultStream = false, classRules } = options;
      const rules = classRules === undefined ? {} : { classRules };
      const event = { kind: 'position', position } as const;
      const asked = { event, links: LINKS, exact, legacyDefaultStream, ...rules };
      return ok(whileBusy(() => session.run('explain', asked)));
    },
  };
}

function positionOf(ask: unknown): number | undefined {
  if (typeof ask !== 'object' || ask === null || !('event' in ask)) return undefined;
  return typeof ask.event === 'number' && Number.isSafeInteger(ask.event) && ask.event >= 0 ? ask.event : undefined;
}

function overviewOf(session: Session, options: PathOptions): Overview {
  const { info, outcome } = session.report(options);
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
