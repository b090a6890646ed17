/**
 * One function a question. The compiler holds their options and results against `registry.ts`; `questions.test.ts` finds one that is
 * forgotten.
 */
import type { AnnotationsResult } from '../analyses/annotations/result.ts';
import type { BreakdownResult } from '../analyses/breakdown/result.ts';
import type { CommunicationResult } from '../analyses/communication/result.ts';
import type { CountersResult } from '../analyses/counters/result.ts';
import type { CriticalPathResult } from '../analyses/critical-path/result.ts';
import type { ExplainResult } from '../analyses/explain/result.ts';
import type { IdleResult } from '../analyses/idle/result.ts';
import type { InfoResult } from '../analyses/info/result.ts';
import type { KernelsResult } from '../analyses/kernels/result.ts';
import type { LaunchesResult } from '../analyses/launches/result.ts';
import type { OpsResult } from '../analyses/ops/result.ts';
import type { ReportResult } from '../analyses/report/result.ts';
import type { StepsResult } from '../analyses/steps/result.ts';
import type { SyncResult } from '../analyses/sync/result.ts';
import type { WhatIfResult } from '../analyses/what-if/result.ts';
import type { Outcome } from '../analyses/contract.ts';
import type { AskOptions } from './ask-options.ts';
import type { OpenTrace } from './open-trace.ts';

/** What bounds a step, and where to look first: the answers of the other questions, weighed. */
export function report(trace: OpenTrace, options?: AskOptions<'report'>): Outcome<ReportResult> {
  return trace.ask('report', options);
}

/** What is in the file, and how far it can be trusted. */
export function info(trace: OpenTrace, options?: AskOptions<'info'>): Outcome<InfoResult> {
  return trace.ask('info', options);
}

/** What bounds a window, segment by segment: the segments' times add up to the window's. */
export function criticalPath(trace: OpenTrace, options?: AskOptions<'critical-path'>): Outcome<CriticalPathResult> {
  return trace.ask('critical-path', options);
}

/** Which work each record, wait and synchronising call stood for. */
export function sync(trace: OpenTrace, options?: AskOptions<'sync'>): Outcome<SyncResult> {
  return trace.ask('sync', options);
}

/** Why one event began when it did: the chain of causes. */
export function explain(trace: OpenTrace, options: AskOptions<'explain'>): Outcome<ExplainResult> {
  return trace.ask('explain', options);
}

/** What a window would take if something in it were faster, or gone, and how wrong such forecasts are on this trace. */
export function whatIf(trace: OpenTrace, options: AskOptions<'what-if'>): Outcome<WhatIfResult> {
  return trace.ask('what-if', options);
}

/** Where the time of each device went: computation, communication, copies, idle. */
export function breakdown(trace: OpenTrace, options?: AskOptions<'breakdown'>): Outcome<BreakdownResult> {
  return trace.ask('breakdown', options);
}

/** Why each device was idle, and what each gap waited for. */
export function idle(trace: OpenTrace, options?: AskOptions<'idle'>): Outcome<IdleResult> {
  return trace.ask('idle', options);
}

/** The kernels: how often, how long, on the path or not. */
export function kernels(trace: OpenTrace, options?: AskOptions<'kernels'>): Outcome<KernelsResult> {
  return trace.ask('kernels', options);
}

/** The host ops: own and total time, and what they launched. */
export function ops(trace: OpenTrace, options?: AskOptions<'ops'>): Outcome<OpsResult> {
  return trace.ask('ops', options);
}

/** The collectives: sizes, bandwidth, and what hides them. */
export function communication(trace: OpenTrace, options?: AskOptions<'communication'>): Outcome<CommunicationResult> {
  return trace.ask('communication', options);
}

/** The launches: how long, how far ahead, how full the queue. */
export function launches(trace: OpenTrace, options?: AskOptions<'launches'>): Outcome<LaunchesResult> {
  return trace.ask('launches', options);
}

/** Queue depth and memory bandwidth over time. */
export function counters(trace: OpenTrace, options?: AskOptions<'counters'>): Outcome<CountersResult> {
  return trace.ask('counters', options);
}

/** The annotations: their time, and the device work launched inside. */
export function annotations(trace: OpenTrace, options?: AskOptions<'annotations'>): Outcome<AnnotationsResult> {
  return trace.ask('annotations', options);
}

/** The steps: how long each, what differs, which to trust. */
export function steps(trace: OpenTrace, options?: AskOptions<'steps'>): Outcome<StepsResult> {
  return trace.ask('steps', options);
}
