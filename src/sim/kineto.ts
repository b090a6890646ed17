import type { Job } from './program.ts';
import { extraRows } from './kineto-extra.ts';
import { kinetoHead, kinetoTail, nameRows } from './kineto-head.ts';
import type { KinetoOptions } from './kineto-options.ts';
import { PLAIN_KINETO } from './kineto-options.ts';
import { KinetoRows } from './kineto-rows.ts';
import { PlannedRow, type RowPlan, planRows } from './row-plan.ts';
import type { RankTruth } from './truth.ts';

const ROWS_A_CHUNK = 400;

/** A trace to be written, and where in it everything of the truth stands. */
export interface KinetoTrace {
  readonly plan: RowPlan;
  /** The file's text in pieces, made while it is read; can be read more than once. */
  readonly chunks: Iterable<string>;
}

/** The trace that PyTorch's profiler would have written of a rank. */
export function kinetoTrace(job: Job, truth: RankTruth, options: KinetoOptions = PLAIN_KINETO): KinetoTrace {
  const plan = planRows(truth, options);
  return { plan, chunks: { [Symbol.iterator]: () => writeChunks(job, truth, options, plan) } };
}

/** The whole file as one text; for small traces. */
export function kinetoText(job: Job, truth: RankTruth, options: KinetoOptions = PLAIN_KINETO): string {
  return [...kinetoTrace(job, truth, options).chunks].join('');
}

function* writeChunks(job: Job, truth: RankTruth, options: KinetoOptions, plan: RowPlan): Generator<string> {
  const rows = new KinetoRows(job, truth, options, plan);
  yield kinetoHead(job, truth, options);
  let chunk = '';
  let separator = '';
  const put = (row: string): void => {
    chunk += separator + row;
    separator = ',\n';
  };
  for (let row = 0; row < plan.rowCount; row++) {
    const subject = plan.subject[row];
    switch (plan.kind[row]) {
      case PlannedRow.item:
        put(rows.item(subject));
        break;
      case PlannedRow.sync:
        put(rows.sync(subject));
        break;
      case PlannedRow.record:
        put(rows.record(subject));
        break;
      case PlannedRow.flowStart:
        put(rows.flowStart(subject));
        break;
      case PlannedRow.flowEnd:
        put(rows.flowEnd(subject));
        break;
    }
    if ((row + 1) % ROWS_A_CHUNK !== 0) continue;
    yield chunk;
    chunk = '';
  }
  for (const row of extraRows(truth, plan, rows, options)) put(row);
  for (const row of nameRows(job, truth, rows)) put(row);
  yield `${chunk}\n`;
  yield kinetoTail(truth, options);
}
