/** The engine without Node: bytes in, answers out, in a browser worker too. */
export * from './base/result.ts';
export * from './trace/trace.ts';
export { readTrace, type ReadError, type ReadOptions } from './ingest/read-trace.ts';
export { buildGraph, type Graph } from './graph/graph.ts';
export type { Analysis, Outcome, RenderOptions, Subject } from './analyses/contract.ts';
export {
  ANALYSES,
  COMPOSITIONS,
  analysisOf,
  type AnalysisId,
  type OptionsOf,
  type ResultOf,
} from './analyses/registry.ts';
