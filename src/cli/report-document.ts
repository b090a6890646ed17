/** `report --json`: the answers of all analyses in one document, without what they all say alike. */
import type { ResultOf } from '../analyses/registry.ts';
import type { ReportResult } from '../analyses/report/result.ts';
import { pathDocument } from './commands/critical-path.ts';
import { limitList } from './json.ts';
import { LIMITS } from './limits.ts';

type Answers = ReportResult['answers'];

/** Lists that grow with the trace; each command prints all of its own. */
const LISTS: ReadonlySet<string> = new Set<
  | keyof ResultOf<'kernels'>
  | keyof ResultOf<'ops'>
  | keyof ResultOf<'communication'>
  | keyof ResultOf<'launches'>
  | keyof ResultOf<'idle'>
  | keyof ResultOf<'annotations'>
>([
  'rows',
  'shapes',
  'calls',
  'groups',
  'apis',
  'lanes',
  'shortKernels',
  'graphs',
  'reasons',
  'drains',
  'gaps',
  'instances',
]);

/** Of the path's segments and each answer's lists at most `limit`; by default all segments. */
export function reportDocument(
  { info, criticalPath, verdict, answers }: ReportResult,
  limit: number | undefined,
): object {
  return { info, criticalPath: pathDocument(criticalPath, limit), verdict, ...answersDocument(answers, limit) };
}

/** Of each answer at most `limit` rows of a list, by default as many as its own command prints as text. */
function answersDocument(answers: Answers, limit: number | undefined): object {
  const ids = Object.keys(answers) as (keyof Answers)[];
  return Object.fromEntries(
    ids.map((id) => {
      const outcome: Answers[keyof Answers] = answers[id];
      return [id, outcome.status === 'ok' ? cut(outcome.result, limit ?? LIMITS[id]) : outcome];
    }),
  );
}

/** Said once, by the path. */
const SHARED: ReadonlySet<string> = new Set(['traces', 'coverage']);

function cut(result: object, limit: number): object {
  const own = Object.entries(result).filter(([key]) => !SHARED.has(key));
  const fields = own.map(([key, value]: [string, unknown]) =>
    LISTS.has(key) && Array.isArray(value) ? limitList(key, value, limit) : { [key]: value },
  );
  return Object.assign({}, ...fields) as object;
}
