import type { Analysis } from './contract.ts';
import { criticalPath } from './critical-path/index.ts';
import { explain } from './explain/index.ts';
import { info } from './info/index.ts';
import { report } from './report/index.ts';
import { sync } from './sync/index.ts';
import { whatIf } from './what-if/index.ts';

/** Every question that a trace can be asked: one folder each. The key is the folder's name and the command's. */
export const ANALYSES = { info, sync, 'critical-path': criticalPath, explain, 'what-if': whatIf } as const;

/** What weighs the answers of analyses instead of reading the trace. */
export const COMPOSITIONS = { report } as const;

type Analyses = typeof ANALYSES;
export type AnalysisId = keyof Analyses;
export type ResultOf<Id extends AnalysisId> =
  Analyses[Id] extends Analysis<string, infer _, infer Result> ? Result : never;
export type OptionsOf<Id extends AnalysisId> =
  Analyses[Id] extends Analysis<string, infer Options, infer _> ? Options : never;

/** The analysis of an id, with its own option and result types. */
export function analysisOf<Id extends AnalysisId>(id: Id): Analysis<Id, OptionsOf<Id>, ResultOf<Id>> {
  return ANALYSES[id] as unknown as Analysis<Id, OptionsOf<Id>, ResultOf<Id>>;
}
