// What the analyses say of a drawing.
import type { Outcome, Subject } from '../analyses/contract.ts';
import { computeCriticalPath } from '../analyses/critical-path/compute.ts';
import type { CriticalPathOptions } from '../analyses/critical-path/options.ts';
import type { CriticalPathResult } from '../analyses/critical-path/result.ts';
import { computeSync } from '../analyses/sync/compute.ts';
import type { SyncResult } from '../analyses/sync/result.ts';
import { createSubject } from '../analyses/subject.ts';
import type { Graph } from '../graph/graph.ts';
import type { WindowRequest } from '../graph/window-request.ts';
import type { Trace } from '../trace/trace.ts';
import { type DrawOptions, traceOf } from './draw.ts';

export const DEFAULT_WINDOW: WindowRequest = { kind: 'default' };
export const stepWindow = (first: number, last = first): WindowRequest => ({ kind: 'steps', first, last });
export const rangeWindow = (startUs: number, endUs: number): WindowRequest => ({
  kind: 'range',
  startNs: startUs * 1000,
  endNs: endUs * 1000,
});
export const annotationWindow = (name: string, first?: number, last = first): WindowRequest => ({
  kind: 'annotation',
  name,
  match: false,
  ...(first === undefined ? {} : { first }),
  ...(last === undefined ? {} : { last }),
});

/** A trace with its graph, built once. */
export const subjectFor = (trace: Trace): Subject => createSubject(trace);

/** A graph that is at hand already. */
export const subjectOn = (graph: Graph): Subject => ({ ...createSubject(graph.trace), graph: () => graph });

export const subjectOf = (drawing: string, options: DrawOptions = {}): Subject => subjectFor(traceOf(drawing, options));

export const syncOf = (drawing: string, options: DrawOptions = {}): SyncResult =>
  resultOf(computeSync(subjectOf(drawing, options), {}));

export const pathOf = (
  drawing: string,
  window: WindowRequest = DEFAULT_WINDOW,
  options: DrawOptions = {},
): CriticalPathResult => pathFor(subjectOf(drawing, options), { window });

export const syncFor = (subject: Subject): SyncResult => resultOf(computeSync(subject, {}));

export const pathFor = (subject: Subject, options: Partial<CriticalPathOptions> = {}): CriticalPathResult =>
  resultOf(computeCriticalPath(subject, { window: DEFAULT_WINDOW, exact: false, ...options }));

/** The result of a question that applies. */
export function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.status !== 'ok') throw new Error(`not applicable: ${outcome.reason}`);
  return outcome.result;
}
