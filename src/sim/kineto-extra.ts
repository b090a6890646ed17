import type { KinetoRows } from './kineto-rows.ts';
import type { RowPlan } from './row-plan.ts';
import { ItemKind, type RankTruth } from './truth.ts';

/** Rows that show no work of their own and stand after all that do: links and projections. */
export function* extraRows(truth: RankTruth, plan: RowPlan, rows: KinetoRows, which: ExtraRows): Generator<string> {
  if (which.gpuAnnotations) yield* gpuAnnotations(truth, plan, rows);
  if (which.flows) yield* backwardFlows(truth, plan, rows);
}

export interface ExtraRows {
  readonly gpuAnnotations: boolean;
  readonly flows: boolean;
}

/** From each forward op to its backward op. */
function* backwardFlows(truth: RankTruth, plan: RowPlan, rows: KinetoRows): Generator<string> {
  const { items, sequence, actions } = truth;
  const forward = new Map<number, number>();
  let id = 0;
  for (let item = 0; item < items.length; item++) {
    if (sequence[item] === -1 || plan.positionOf[item] === -1) continue;
    const action = actions[item];
    if (action?.kind !== 'op' || action.isBackward !== true) {
      forward.set(sequence[item], item);
      continue;
    }
    const from = forward.get(sequence[item]);
    if (from === undefined) continue;
    id++;
    yield rows.backwardFlow('s', id, from);
    yield rows.backwardFlow('f', id, item);
  }
}

/** By annotation and lane, from the first to the last op that was launched under it. */
function* gpuAnnotations({ items }: RankTruth, plan: RowPlan, rows: KinetoRows): Generator<string> {
  const open = new Map<number, number[]>();
  const spans = new Map<number, Map<number, { start: number; end: number }>>();
  for (let item = 0; item < items.length; item++) {
    const kind = items.kind[item];
    if (plan.positionOf[item] === -1 || kind === ItemKind.op || kind === ItemKind.frame) continue;
    if (kind === ItemKind.call) continue;
    const thread = kind === ItemKind.device ? items.track[items.parent[item]] : items.track[item];
    const stack = open.get(thread) ?? [];
    open.set(thread, stack);
    const began = kind === ItemKind.device ? items.start[items.parent[item]] : items.start[item];
    while (stack.length > 0 && items.end[stack[stack.length - 1]] <= began) stack.pop();
    if (kind === ItemKind.annotation) {
      stack.push(item);
      continue;
    }
    for (const annotation of stack) {
      const byLane = spans.get(annotation) ?? new Map<number, { start: number; end: number }>();
      spans.set(annotation, byLane);
      const span = byLane.get(items.track[item]);
      if (span === undefined) byLane.set(items.track[item], { start: items.start[item], end: items.end[item] });
      else {
        span.start = Math.min(span.start, items.start[item]);
        span.end = Math.max(span.end, items.end[item]);
      }
    }
  }
  for (const [annotation, byLane] of spans) {
    for (const [lane, { start, end }] of byLane) yield rows.gpuAnnotation(annotation, lane, start, end);
  }
}
