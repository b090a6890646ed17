/** A trace as HTA 0.6.1 reads it, from our reader's columns: whole µs, the last step cut off, launches joined by correlation. */
import type { Trace } from '../../src/trace/trace.ts';
import { lowerBound } from '../../src/base/bisect.ts';
import { isDeviceWork, isHostOp, RowKind } from '../../src/trace/kinds.ts';
import { Phase } from '../../src/trace/tables.ts';
import { once } from './once.ts';

export interface HtaRow {
  /** In `trace.events`. */
  readonly event: number;
  readonly position: number;
  readonly name: string;
  /** µs since 1970. */
  readonly start: number;
  /** µs; −1 where rounding ate it. */
  readonly dur: number;
  readonly correlation: number;
  readonly isDevice: boolean;
  /** As HTA takes it: of rows that have one, whatever they are. */
  readonly stream: number;
  readonly bandwidth: number;
}

export interface HtaTrace {
  /** After HTA's cut. */
  readonly rows: readonly HtaRow[];
  /** The start of the earliest row, µs since 1970. */
  readonly zero: number;
  /** Where HTA cuts host rows off, in ns since our origin; Infinity where it does not. */
  readonly cutNs: number;
  /** Times in the file have fractions, so that HTA rounds starts up and ends down (defect 12). */
  readonly isRounded: boolean;
  /** Host rows with the device rows of their correlation: HTA's launches of any name. */
  readonly pairs: readonly { readonly call: HtaRow; readonly op: HtaRow }[];
}

export const htaTrace = once(makeHtaTrace);

function makeHtaTrace(trace: Trace): HtaTrace {
  const { events, categories, strings } = trace;
  const isRounded = hasFractions(trace);
  const all: HtaRow[] = [];
  let steps = 0;
  let cut = -Infinity;
  let cutNs = -Infinity;
  let zero = Infinity;
  for (let e = 0; e < events.length; e++) {
    const { kind, name: category } = categories[events.category[e]];
    if (events.phase[e] !== Phase.complete || category === 'Trace' || category === '') continue;
    const row = rowOf(trace, e, isRounded, isDeviceWork(kind));
    zero = Math.min(zero, row.start);
    if (kind === RowKind.annotation && strings.text(events.name[e]).startsWith('ProfilerStep')) {
      steps++;
      if (row.start > cut) [cut, cutNs] = [row.start, events.start[e]];
    }
    if (row.isDevice || isHostOp(kind)) all.push(row);
  }
  const isCut = steps > 1;
  const calls = new Map<number, HtaRow>();
  for (const row of all) {
    if (row.isDevice || row.correlation <= 0 || (isCut && row.start >= cut)) continue;
    calls.set(row.correlation, row);
  }
  const rows = all.filter((row) => !isCut || (row.isDevice ? calls.has(row.correlation) : row.start < cut));
  const pairs = rows.flatMap((op) => {
    const call = op.isDevice ? calls.get(op.correlation) : undefined;
    return call === undefined ? [] : [{ call, op }];
  });
  return { rows, zero, cutNs: isCut ? cutNs : Infinity, isRounded, pairs };
}

function rowOf(trace: Trace, event: number, isRounded: boolean, isDevice: boolean): HtaRow {
  const { events, strings, device, originUnixNs } = trace;
  const start = originUnixNs + BigInt(events.start[event]);
  const end = start + BigInt(events.dur[event]);
  const up = isRounded ? Number((start + 999n) / 1000n) : Number(start / 1000n);
  const down = isRounded ? Number(end / 1000n) : Number((start / 1000n) * 1000n + BigInt(events.dur[event])) / 1000;
  const at = lowerBound(device.event, event);
  const row = at < device.event.length && device.event[at] === event ? at : -1;
  return {
    event,
    position: events.position[event],
    name: strings.text(events.name[event]),
    start: up,
    dur: isRounded ? down - up : events.dur[event] / 1000,
    correlation: events.correlation[event],
    isDevice,
    stream: row === -1 ? -1 : device.stream[row],
    bandwidth: row === -1 || Number.isNaN(device.bandwidth[row]) ? 0 : device.bandwidth[row],
  };
}

function hasFractions({ events, originUnixNs }: Trace): boolean {
  for (let e = 0; e < events.length; e++) {
    if ((originUnixNs + BigInt(events.start[e])) % 1000n !== 0n) return true;
  }
  return false;
}

/** pandas' `describe`: count, mean, std, min, the quartiles, max. */
export function describe(values: readonly number[]): readonly (number | null)[] {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count;
  const square = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const quantile = (share: number): number => {
    const place = share * (count - 1);
    const below = Math.floor(place);
    const low = sorted[below] ?? NaN;
    return low + (place - below) * ((sorted[below + 1] ?? low) - low);
  };
  const std = count > 1 ? Math.sqrt(square / (count - 1)) : null;
  return [count, mean, std, quantile(0), quantile(0.25), quantile(0.5), quantile(0.75), quantile(1)];
}

/** As the files below `expected-hta` have numbers. */
export const rounded = (value: number | null): string =>
  value === null ? 'none' : String(Math.round(value * 1e6) / 1e6 + 0);

/** A variant of how a number comes about: the first is ours, the others HTA's way, with the reason why they differ. */
export interface Variant {
  readonly value: string;
  readonly why: string;
}

/** The reason of the first variant that gives HTA's number. Throws where none does. */
export function reasonOf(what: string, hta: string, variants: readonly Variant[]): string {
  const found = variants.find(({ value }) => value === hta);
  if (found === undefined) {
    throw new Error(
      `${what}: HTA has ${hta}, which none of these gives: ${variants.map(({ value }) => value).join(' | ')}`,
    );
  }
  return found.why;
}

export interface HtaTable {
  readonly columns: readonly string[];
  readonly count: number;
  readonly sums: Readonly<Record<string, number>>;
  readonly rows: readonly (readonly (number | string | null)[])[];
}

export const DEFECT_12 = 'defect 12: HTA rounds starts up and ends down to µs';
export const DEFECT_20 = 'defect 20: HTA’s launch statistics know no HIP, driver and graph launches';

/** The rows that a file has of a table: of a long one the first and the last, with `...` between. */
export const listedRows = ({ rows }: HtaTable): HtaTable['rows'] => rows.filter((row) => typeof row[0] === 'number');
