import { type HtaClass, type Measured, timeWith, ranksOf, viewsOf, wallOf, whyOf } from './device-time.ts';
import type { Parity, ParityRow } from './row.ts';

const METHOD = 'get_temporal_breakdown';
const COMPUTATION: readonly HtaClass[] = ['COMPUTATION'];

const idle = (measured: Measured): number => measured.get('') ?? 0;
const compute = (measured: Measured): number => timeWith(measured, COMPUTATION);

/** By column of HTA's table, in ns. */
const TIMES: Readonly<Record<string, (measured: Measured) => number>> = {
  idle_time: idle,
  compute_time: compute,
  non_compute_time: (measured) => wallOf(measured) - idle(measured) - compute(measured),
  kernel_time: wallOf,
};

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

export const temporalBreakdown: Parity = (trace, expected) => {
  if (isError(expected)) return [errorRow(trace, expected)];
  const { columns, rows } = expected as Table;
  return ranksOf(trace).flatMap((rank) => {
    const row = rows.find(([number]) => number === rank.rank);
    if (row === undefined) throw new Error(`HTA has no rank ${rank.rank} of ${trace}`);
    const views = viewsOf(rank);
    return columns.slice(1).map((column, i): ParityRow => {
      const name = column.replace(/\(us\)$|_pctg$/, '');
      const time = TIMES[name];
      if (time === undefined) throw new Error(`unknown column ${column}`);
      const isShare = column.endsWith('_pctg');
      const valueOf = (measured: Measured): number =>
        isShare ? (100 * time(measured)) / wallOf(measured) : time(measured) / 1000;
      const hta = row[i + 1];
      return compare({ trace, method: METHOD, quantity: `rank ${rank.rank} ${column}` }, hta, isShare ? 2 : 0, {
        views,
        valueOf,
      });
    });
  });
};

/** HTA's number must be what its own rules give, to its last digit; ours is the last view's. */
export function compare(
  head: Pick<ParityRow, 'trace' | 'method' | 'quantity'>,
  hta: number | null | undefined,
  digits: number,
  { views, valueOf }: { views: ReturnType<typeof viewsOf>; valueOf: (measured: Measured) => number },
): ParityRow {
  const first = valueOf(views[0]?.measured ?? new Map());
  const last = valueOf(views.at(-1)?.measured ?? new Map());
  const made = roundTo(first, digits);
  if (hta === undefined || (hta === null ? !Number.isNaN(first) : Math.abs(hta - first) > 0.5 * 10 ** -digits + 1e-9)) {
    throw new Error(`${head.trace} ${head.quantity}: HTA says ${hta}, its rules give ${made}`);
  }
  const own = roundTo(last, digits);
  const htaText = hta === null ? 'NaN' : String(hta);
  const ours = Number.isNaN(last) ? 'none' : own;
  if (ours === htaText) return { ...head, hta: htaText, ours, why: '' };
  if (hta === null) return { ...head, hta: htaText, ours, why: 'rule: no share where there is no communication' };
  const why = whyOf(views, valueOf);
  if (why === '') throw new Error(`${head.trace} ${head.quantity}: ${htaText} and ${ours} differ without a reason`);
  return { ...head, hta: htaText, ours, why };
}

/** As the shortest text, like JSON's. */
const roundTo = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

interface HtaError {
  readonly error: string;
  readonly at?: string;
}

export const isError = (expected: unknown): expected is HtaError =>
  typeof expected === 'object' && expected !== null && 'error' in expected;

/** HTA has no answer: ours is the reason why the question does not apply. */
export function errorRow(trace: string, { error }: HtaError, method = METHOD): ParityRow {
  const outcomes = ranksOf(trace).map(({ session }) => session.run('breakdown'));
  const reasons = outcomes.map((outcome) => {
    if (outcome.status === 'ok') throw new Error(`${trace}: HTA fails, and we have an answer to compare`);
    return outcome.reason;
  });
  return {
    trace,
    method,
    quantity: 'all',
    hta: error,
    ours: `not applicable: ${reasons[0]}`,
    why: 'rule: a trace without device ops has no idle device',
  };
}
