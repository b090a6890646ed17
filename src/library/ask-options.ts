import type { EventHandle } from '../analyses/explain/options.ts';
import type { EventReference } from '../analyses/reference.ts';
import { type AnalysisId, type OptionsOf, type ResultOf, analysisOf } from '../analyses/registry.ts';
import type { ReportResult } from '../analyses/report/result.ts';
import type { ScopeOptions } from '../analyses/scope.ts';
import type { Change } from '../graph/changes.ts';
import type { WindowRequest } from '../graph/window-request.ts';
import { textOfChange } from './change-text.ts';
import { parseEventHandle } from './event-handle.ts';
import { type WindowFields, type WindowOptions, ensureRegex, windowRequestOf } from './window-options.ts';

/** What a trace can be asked: the names of the commands. */
export type QuestionId = AnalysisId | 'report';

/** The result of a question, where it applies. */
export type AnswerOf<Id extends QuestionId> = Id extends AnalysisId ? ResultOf<Id> : ReportResult;

/** What the engine takes. */
type EngineOptions<Id extends QuestionId> = Id extends AnalysisId ? OptionsOf<Id> : ScopeOptions;

/** Options that read otherwise here than in the engine. */
interface OwnOptions {
  readonly explain: {
    /** Its handle (`e-123`), its correlation (`corr:1411`), or the reference that another answer gave. */
    readonly event: string | EventHandle | EventReference;
  };
  readonly 'what-if': {
    /** Made one after the other. */
    readonly changes: readonly Change[];
  };
}
type OwnOf<Id extends QuestionId> = Id extends keyof OwnOptions ? OwnOptions[Id] : unknown;

/**
 * What a question can be asked with. All of it is optional but the `event` of `explain` and the `changes` of `what-if`; what is left out is
 * as the command line has it without flags.
 */
export type AskOptions<Id extends QuestionId> = (EngineOptions<Id> extends { readonly window: WindowRequest }
  ? WindowOptions
  : unknown) &
  Partial<Omit<EngineOptions<Id>, 'window' | keyof OwnOf<Id>>> &
  OwnOf<Id>;

/** The options as an argument that may be left out where all of them are optional. */
export type AskArguments<Id extends QuestionId> =
  Record<never, never> extends AskOptions<Id> ? [options?: AskOptions<Id>] : [options: AskOptions<Id>];

/** Fields that name a window, in any question. */
const WINDOW_FIELDS: ReadonlySet<string> = new Set([
  'step',
  'steps',
  'annotation',
  'match',
  'instance',
  'range',
] satisfies (keyof WindowFields)[]);

/** Every way in which options may be given, for callers without types. */
type AnyOptions = Partial<WindowFields> & ScopeOptions & Partial<OwnOptions['explain'] & OwnOptions['what-if']>;

/** The engine's options of a question: the defaults, and what was given. Throws where that cannot be meant. */
export function engineOptions<Id extends QuestionId>(
  id: Id,
  given: AskOptions<Id> | undefined,
  ownRank: number,
): EngineOptions<Id> {
  const fields = (given ?? {}) as AnyOptions;
  const defaults: object = analysisOf<AnalysisId>(id === 'report' ? 'critical-path' : id).defaults;
  const options: Record<string, unknown> = { ...defaults };
  // By name, so that the same options in another order are the same question.
  for (const [name, value] of Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value !== undefined && !WINDOW_FIELDS.has(name)) options[name] = value;
  }
  if ('window' in defaults) options['window'] = windowRequestOf(fields);
  else {
    const window = Object.keys(fields).find((name) => WINDOW_FIELDS.has(name));
    if (window !== undefined) throw new TypeError(`${window}: ${id} is about the whole trace`);
  }
  if (fields.dataLoading !== undefined) ensureRegex(fields.dataLoading);
  for (const { match } of fields.classRules ?? []) ensureRegex(match);
  if (id === 'explain') options['event'] = eventOf(fields.event, ownRank);
  if (id === 'what-if') options['changes'] = changesOf(fields.changes);
  return options as unknown as EngineOptions<Id>;
}

function eventOf(event: AnyOptions['event'], ownRank: number): EventHandle {
  if (typeof event === 'object') return 'event' in event ? { kind: 'position', position: event.event } : event;
  const parsed = parseEventHandle(event ?? '');
  if (parsed === undefined) throw new TypeError(`event: '${String(event)}' is no event; give e-123, or corr:1411`);
  const { rank = ownRank } = parsed;
  if (rank !== ownRank) {
    throw new RangeError(`event: '${String(event)}' is of rank ${rank}; this trace is rank ${ownRank}`);
  }
  return parsed.event;
}

function changesOf(changes: readonly Change[] = []): OptionsOf<'what-if'>['changes'] {
  if (changes.length === 0) throw new TypeError('changes: nothing to change');
  return changes.map((change) => {
    if ('select' in change && change.select.isPattern) ensureRegex(change.select.text);
    return { text: textOfChange(change), change };
  });
}
