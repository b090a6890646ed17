import { analysisOf, type ResultOf } from '../../src/analyses/registry.ts';
import type { Session } from '../../src/session/session.ts';
import {
  DEFECT_12,
  type HtaRow,
  type HtaTable,
  type HtaTrace,
  htaTrace,
  listedRows,
  reasonOf,
  rounded,
} from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';

const OVERLAP = 'get_comm_comp_overlap';
const KERNELS = 'communication kernels';
type Calls = ResultOf<'communication'>['calls'];

interface RankCommunication {
  readonly 'by name': HtaTable;
  readonly kernels: HtaTable;
  readonly 'merged intervals': number;
  readonly 'merged time': number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Communication kernels, their union, and the share of it that computation overlaps. */
export const communication: Parity = (trace, expected, session) => {
  const all = expected as Readonly<Record<string, unknown>>;
  const rank = session.trace.rank ?? 0;
  const theirs = all[`rank ${rank}`] as RankCommunication | null | undefined;
  const hta = htaTrace(session.trace);
  const calls = callsBefore(session, hta);
  const overlap = overlapRow(trace, all['overlap'] as HtaTable, rank, hta, calls);
  if (theirs === undefined || theirs === null) {
    if (calls.length > 0) throw new Error(`${trace}: HTA has no communication where we have some`);
    return [overlap, { trace, method: KERNELS, quantity: 'kernels', hta: '0', ours: '0', why: '' }];
  }
  return [overlap, ...kernelRows(trace, theirs, hta, calls)];
};

/** Our calls of the whole trace whose launch HTA keeps. */
function callsBefore(session: Session, { pairs, cutNs }: HtaTrace): Calls {
  const { defaults } = analysisOf('communication');
  const window = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;
  const outcome = session.run('communication', { ...defaults, window });
  if (outcome.status !== 'ok') return [];
  const kept = new Set(pairs.map(({ op }) => op.position));
  return outcome.result.calls.filter(({ event }) => cutNs === Infinity || kept.has(event.event));
}

const isCommunication = ({ name }: HtaRow): boolean => /^(nccl|hip|hccl)|ncclKernel/.test(name);
const isComputation = ({ name }: HtaRow): boolean =>
  !/^nccl|Memcpy|Memset|dma|Sync|^Stream Wait Event|^cuda.*LaunchKernel|^runFunction|^hip|^hccl/.test(name);

function kernelRows(trace: string, theirs: RankCommunication, hta: HtaTrace, calls: Calls): ParityRow[] {
  const rows: ParityRow[] = [];
  const kept = hta.rows.filter((row) => row.isDevice && isCommunication(row));
  const add = (quantity: string, value: string, ours: string, made: string): void => {
    const variants = [
      { value: ours, why: '' },
      { value: made, why: hta.isRounded ? DEFECT_12 : 'HTA’s classes' },
    ];
    rows.push({
      trace,
      method: KERNELS,
      quantity,
      hta: value,
      ours,
      why: reasonOf(`${trace} ${quantity}`, value, variants),
    });
  };
  const columns = ['count', 'sum', 'min', 'max', 'mean'];
  for (const [name, ...values] of theirs['by name'].rows) {
    const shown = `count, sum, min, max, mean (µs) of ${String(name).slice(0, 60)}`;
    const of = (durations: readonly number[]): string => statistics(durations).map(rounded).join(', ');
    const order = columns.map((column) => theirs['by name'].columns.indexOf(column) - 1);
    add(
      shown,
      order.map((at) => rounded(values[at] as number)).join(', '),
      of(calls.filter(({ event }) => event.name === name).map(({ durationNs }) => durationNs / 1000)),
      of(kept.filter((row) => row.name === name).map(({ dur }) => dur)),
    );
  }
  const listed = listedRows(theirs.kernels);
  const own = new Map(calls.map((call) => [call.event.event, call.durationNs / 1000]));
  const made = new Map(kept.map((row) => [row.position, row.dur]));
  const equal = (durations: ReadonlyMap<number, number>): string =>
    `${listed.filter((row) => durations.get(row[0] as number) === row[2]).length} of ${listed.length}`;
  add('rows of the file: event, duration', `${listed.length} of ${listed.length}`, equal(own), equal(made));
  const spans = calls.map(({ startNs, endNs }) => ({ start: startNs / 1000, end: endNs / 1000 }));
  const htaSpans = kept.map(({ start, dur }) => ({ start, end: start + dur }));
  add(
    'union (µs)',
    rounded(theirs['merged time']),
    rounded(lengthOf(unionOf(spans))),
    rounded(lengthOf(unionOf(htaSpans))),
  );
  return rows;
}

function statistics(durations: readonly number[]): number[] {
  const sum = durations.reduce((total, each) => total + each, 0);
  return [durations.length, sum, Math.min(...durations), Math.max(...durations), sum / durations.length];
}

function overlapRow(trace: string, table: HtaTable, rank: number, hta: HtaTrace, calls: Calls): ParityRow {
  const theirs = table.rows.find(([of]) => of === rank)?.[1] ?? null;
  const total = calls.reduce((sum, { overlappedNs, exposedNs }) => sum + overlappedNs + exposedNs, 0);
  const overlapped = calls.reduce((sum, { overlappedNs }) => sum + overlappedNs, 0);
  const quantity = 'communication overlapped by computation (%)';
  const ours = total === 0 ? 'no communication' : percent(overlapped / total);
  if (theirs === null) {
    if (total > 0) throw new Error(`${trace}: HTA has no overlap where we have ${ours}`);
    return { trace, method: OVERLAP, quantity, hta: 'NaN', ours, why: 'rule: no share of nothing' };
  }
  const device = hta.rows.filter(({ isDevice }) => isDevice);
  const spansOf = (rows: readonly HtaRow[]): Span[] =>
    unionOf(rows.map(({ start, dur }) => ({ start, end: start + dur })));
  const communicating = spansOf(device.filter(isCommunication));
  const both = lengthOf(intersectionOf(communicating, spansOf(device.filter(isComputation))));
  const variants = [
    { value: ours, why: '' },
    {
      value: percent(both / lengthOf(communicating)),
      why: hta.isRounded
        ? DEFECT_12
        : 'rule: all computation hides, that of the last step and of ops without a launch call too',
    },
  ];
  const value = rounded(theirs as number);
  return { trace, method: OVERLAP, quantity, hta: value, ours, why: reasonOf(`${trace} ${quantity}`, value, variants) };
}

const percent = (share: number): string => rounded(Math.round(share * 1e4) / 100);

function unionOf(spans: readonly Span[]): Span[] {
  const union: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = union.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else union.push({ start, end });
  }
  return union;
}

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0);

function intersectionOf(a: readonly Span[], b: readonly Span[]): Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const span of a) {
    while (at > 0 && (b[at - 1]?.end ?? 0) > span.start) at--;
    for (; at < b.length && (b[at]?.start ?? 0) < span.end; at++) {
      const start = Math.max(span.start, b[at]?.start ?? 0);
      const end = Math.min(span.end, b[at]?.end ?? 0);
      if (start < end) found.push({ start, end });
    }
  }
  return found;
}
