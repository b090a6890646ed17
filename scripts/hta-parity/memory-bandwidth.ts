import { analysisOf, type ResultOf } from '../../src/analyses/registry.ts';
import type { Session } from '../../src/session/session.ts';
import { type HtaRow, type HtaTable, type HtaTrace, describe, htaTrace, listedRows, rounded } from './hta-rows.ts';
import type { Parity, ParityRow } from './row.ts';

const SERIES = 'get_memory_bw_time_series';
const SUMMARY = 'get_memory_bw_summary';
const BY_TIME =
  'rule: weighted by how long each value held, over all copies of the trace; HTA averages over its change points';

interface Expected {
  readonly series: Readonly<Record<string, HtaTable>>;
  readonly summary: HtaTable | null;
}

/** HTA's bandwidth of copies, by the first 11 characters of their names, beside ours by kind. */
export const memoryBandwidth: Parity = (trace, expected, session) => {
  const { series, summary } = expected as Expected;
  const rank = session.trace.rank ?? 0;
  const theirs = series[`rank ${rank}`];
  const own = countersOf(session);
  if (theirs === undefined) return [noCopies(trace, own)];
  const hta = htaTrace(session.trace);
  const kinds = copiesByKind(hta);
  const rows = [listedRow(trace, theirs, hta, kinds)];
  for (const [name, copies] of kinds) {
    const bandwidth = own?.bandwidths.find(({ kind }) => kind === name);
    if (bandwidth === undefined) throw new Error(`${trace}: no ${name} of ours`);
    const isAll = bandwidth.copies === copies.length;
    const cut = isAll ? '' : 'rule: the whole trace; HTA leaves the last step, and copies without a call, out';
    if (!isAll && hta.cutNs === Infinity) {
      throw new Error(`${trace}: ${bandwidth.copies} ${name}, HTA has ${copies.length}`);
    }
    const quantity = `${name}: copies`;
    const [count, ours] = [rounded(copies.length), rounded(bandwidth.copies)];
    rows.push({ trace, method: SERIES, quantity, hta: count, ours, why: cut });
    const found = summary?.rows.find((row) => row[summary.columns.indexOf('name')] === name);
    const ofRank = summary?.rows.find((row) => row[0] === rank && row[1] === name) ?? found;
    if (ofRank !== undefined) rows.push(summaryRow(trace, name, ofRank, copies, bandwidth, cut));
  }
  return rows;
};

function countersOf(session: Session): ResultOf<'counters'> | undefined {
  const { defaults } = analysisOf('counters');
  const window = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;
  const outcome = session.run('counters', { ...defaults, window, points: true });
  return outcome.status === 'ok' ? outcome.result : undefined;
}

function noCopies(trace: string, own: ResultOf<'counters'> | undefined): ParityRow {
  const ours = String(own?.bandwidths.length ?? 0);
  if (ours !== '0') throw new Error(`${trace}: HTA has no copies where we have some`);
  return { trace, method: SERIES, quantity: 'kinds of copies', hta: '0', ours, why: '' };
}

function copiesByKind({ rows }: HtaTrace): Map<string, HtaRow[]> {
  const kinds = new Map<string, HtaRow[]>();
  for (const row of rows) {
    const [, what, direction] = /^(Memcpy|Memset)\b(?: (\w+))?/.exec(row.name) ?? [];
    if (what === undefined || !row.isDevice) continue;
    const name = what === 'Memset' ? what : `${what} ${direction}`;
    const known = kinds.get(name);
    if (known === undefined) kinds.set(name, [row]);
    else known.push(row);
  }
  return kinds;
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** HTA's running sum: up at each start, down at each end, where a copy of no time lasts 1 µs. */
function pointsOf(copies: readonly HtaRow[]): Point[] {
  const changes = copies.flatMap(({ start, dur, bandwidth }) => [
    { at: start, by: bandwidth },
    { at: start + (dur === 0 ? 1 : dur), by: -bandwidth },
  ]);
  changes.sort((a, b) => a.at - b.at);
  let value = 0;
  return changes.map(({ at, by }) => ({ at, value: (value += by) }));
}

/** The rows that the file has: each instant is one of a start or an end of a copy of that kind. */
function listedRow(
  trace: string,
  table: HtaTable,
  { zero }: HtaTrace,
  kinds: ReadonlyMap<string, readonly HtaRow[]>,
): ParityRow {
  const listed = listedRows(table);
  const points = new Map([...kinds].map(([name, copies]) => [name, new Set(pointsOf(copies).map(({ at }) => at))]));
  const total = [...kinds.values()].reduce((sum, copies) => sum + 2 * copies.length, 0);
  if (total !== table.count) throw new Error(`${trace}: HTA has ${table.count} rows, its rule gives ${total}`);
  // With several ranks HTA's zero is the earliest of all of them: found by the first row.
  const [first] = listed;
  const starts = [...(points.get(String(first?.[2])) ?? [])].sort((a, b) => a - b);
  const offset = first === undefined ? zero : (starts[0] ?? 0) - (first[0] as number);
  const equal = listed.filter((row) => points.get(String(row[2]))?.has((row[0] as number) + offset) === true).length;
  if (equal !== listed.length) throw new Error(`${trace}: ${equal} of ${listed.length} rows of the bandwidth series`);
  const all = `${listed.length} of ${listed.length}`;
  return { trace, method: SERIES, quantity: 'rows of the file: instant, kind', hta: all, ours: all, why: '' };
}

function summaryRow(
  trace: string,
  name: string,
  row: readonly (number | string | null)[],
  copies: readonly HtaRow[],
  { whileActive }: ResultOf<'counters'>['bandwidths'][number],
  cut: string,
): ParityRow {
  const theirs = row.slice(2).map((value) => rounded(value as number | null));
  const made = describe(pointsOf(copies).flatMap(({ value }) => (value > 0 ? [value] : []))).map(rounded);
  // Where copies overlap, what is left of adding and taking away fractions is above 0 or not by the order within a µs.
  const isOverlapping = isBusyTwice(copies);
  if (theirs.join() !== made.join() && !isOverlapping) {
    throw new Error(`${trace} ${name}: HTA has ${theirs.join(' ')}, its rule gives ${made.join(' ')}`);
  }
  const shown = [theirs[1], theirs[3], theirs[5], theirs[7]].join(', ');
  const { mean, min, median, max } = whileActive ?? { mean: NaN, min: NaN, median: NaN, max: NaN };
  const ours = [mean, min, median, max].map(rounded).join(', ');
  const residue =
    theirs.join() === made.join() ? '' : '; HTA counts what rounding leaves of overlapping copies as values';
  const why = ours === shown ? '' : `${BY_TIME}${residue}${cut === '' ? '' : '; last step'}`;
  return { trace, method: SUMMARY, quantity: `${name}: mean, min, median, max (GB/s)`, hta: shown, ours, why };
}

function isBusyTwice(copies: readonly HtaRow[]): boolean {
  const byStart = [...copies].sort((a, b) => a.start - b.start);
  let until = -Infinity;
  for (const { start, dur } of byStart) {
    if (start <= until) return true;
    until = Math.max(until, start + Math.max(dur, 1));
  }
  return false;
}
