/** The command of an analysis of windows: flags → options, and its answer as text or JSON. */
import type { ANALYSES } from '../analyses/registry.ts';
import { analysisOf, type OptionsOf, type ResultOf } from '../analyses/registry.ts';
import { answer } from './answer.ts';
import { type Flags, scopeOptionsOf } from './args.ts';
import type { ExitCode } from './exit.ts';
import { openInput } from './input.ts';
import { limitList } from './json.ts';
import { LIMITS } from './limits.ts';

type ScopeOptions = Awaited<ReturnType<typeof scopeOptionsOf>>;

/** Analyses that take windows and whose folders are their commands. */
export type WindowAnalysis = {
  [Id in keyof typeof ANALYSES]: OptionsOf<Id> extends { readonly window: ScopeOptions['window'] } ? Id : never;
}[keyof typeof ANALYSES];

interface Shape<Id extends WindowAnalysis> {
  /** Further options, from the command's own flags. */
  readonly optionsOf?: (flags: Flags) => Partial<OptionsOf<Id>>;
  /** The lists of the result that `--limit` cuts in JSON. */
  readonly lists: readonly (keyof ResultOf<Id> & string)[];
}

/** The `run` of a command's module. */
export function analysisCommand<Id extends WindowAnalysis>(id: Id, { optionsOf, lists }: Shape<Id>) {
  return async (paths: readonly string[], flags: Flags): Promise<ExitCode> => {
    const analysis = analysisOf(id);
    const own: object = { ...optionsOf?.(flags) };
    const options = Object.assign({}, analysis.defaults, await scopeOptionsOf(flags), own);
    const session = await openInput(id, paths, flags);
    return answer(id, session, flags, session.run(id, options), {
      limit: LIMITS[id],
      toText: (result, rendering) => analysis.renderText(result, rendering),
      toJson: (result, limit) => cutLists(result as object, lists, limit),
    });
  };
}

function cutLists(result: object, lists: readonly string[], limit: number | undefined): object {
  const cut = Object.entries(result).map(([key, value]) =>
    lists.includes(key) && Array.isArray(value) ? limitList(key, value, limit) : { [key]: value as unknown },
  );
  return Object.assign({}, ...cut) as object;
}
