import type { Analysis } from './contract.ts';
import { annotations } from './annotations/index.ts';
import { breakdown } from './breakdown/index.ts';
import { communication } from './communication/index.ts';
import { counters } from './counters/index.ts';
import { criticalPath } from './critical-path/index.ts';
import { explain } from './explain/index.ts';
import { idle } from './idle/index.ts';
import { info } from './info/index.ts';
import { kernels } from './kernels/index.ts';
import { launches } from './launches/index.ts';
import { ops } from './ops/index.ts';
import { report } from './report/index.ts';
import { steps } from './steps/index.ts';
import { sync } from './sync/index.ts';
import { whatIf } from './what-if/index.ts';

/** Every question that a trace can be asked: one folder each. The key is the folder's name and the command's. */
export const ANALYSES = {
  info,
  sync,
  'critical-path': criticalPath,
  explain,
  'what-if': whatIf,
  breakdown,
  idle,
  kernels,
  ops,
  communication,
  launches,
  counters,
  annotations,
  steps,
} as const;

/** What weighs the answers of analyses instead of reading the trace. */
export const COMPOSITIONS = { report } as const;

type Analyses = typeof ANALYSES;
/** The name of an analysis. */
export type AnalysisId = keyof Analyses;
/** What an analysis answers. */
export type ResultOf<Id extends AnalysisId> =
  Analyses[Id] extends Analysis<string, infer _, infer Result> ? Result : never;
/** What an analysis is asked with, in full: `AskOptions` is how callers of the library may put it. */
export type OptionsOf<Id extends AnalysisId> =
  Analyses[Id] extends Analysis<string, infer Options, infer _> ? Options : never;

/** The analysis of an id, with its own option and result types. */
export function analysisOf<Id extends AnalysisId>(id: Id): Analysis<Id, OptionsOf<Id>, ResultOf<Id>> {
  return ANALYSES[id] as unknown as Analysis<Id, OptionsOf<Id>, ResultOf<Id>>;
}
