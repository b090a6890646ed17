import { upperBound } from '../../base/bisect.ts';
import { formatBytes, formatCount } from '../../base/format.ts';
import type { Timeline } from '../../protocol/timeline.ts';
import type { View } from './view.ts';

/** Values in a block. */
const BLOCK = 16;

/** By counter: the largest value of each block of its steps. */
export type CounterPeaks = readonly Float64Array[];

export function buildCounterPeaks({ counterFirst, counterValue }: Timeline): CounterPeaks {
  const peaks: Float64Array[] = [];
  for (let c = 0; c + 1 < counterFirst.length; c++) {
    const values = counterValue.subarray(counterFirst[c], counterFirst[c + 1]);
    const most = new Float64Array(Math.ceil(values.length / BLOCK));
    values.forEach((value, i) => (most[Math.floor(i / BLOCK)] = Math.max(most[Math.floor(i / BLOCK)], value)));
    peaks.push(most);
  }
  return peaks;
}

/** By pixel: the largest value that a counter had in it. O(pixels × (log steps + 32)). */
export function counterColumns(
  { counterFirst, counterTime, counterValue }: Timeline,
  peaks: CounterPeaks,
  counter: number,
  view: View,
  width: number,
): Float64Array {
  const [from, to] = [counterFirst[counter], counterFirst[counter + 1]];
  const blocks = peaks[counter];
  const columns = new Float64Array(Math.ceil(width));
  const nsPerPixel = (view.end - view.start) / width;
  let at = upperBound(counterTime, view.start, from, to);
  let before = at;
  for (let x = 0; x < columns.length; x++) {
    const until = firstBehind(counterTime, view.start + (x + 1) * nsPerPixel, at, to, Math.max(at - before, 1));
    // What held when the pixel began counts too.
    let most = at > from ? counterValue[at - 1] : 0;
    for (let i = at; i < until;) {
      const place = i - from;
      const isWhole = place % BLOCK === 0 && i + BLOCK <= until;
      const value = isWhole ? blocks[place / BLOCK] : counterValue[i];
      if (value > most) most = value;
      i += isWhole ? BLOCK : 1;
    }
    columns[x] = most;
    before = at;
    at = until;
  }
  return columns;
}

/** As `upperBound`, where the answer is likely some `step` behind `from`: O(log of how far off that is). */
function firstBehind(values: Float64Array, wanted: number, from: number, to: number, step: number): number {
  let [low, by] = [from, step];
  while (low + by < to && values[low + by] <= wanted) {
    low += by;
    by *= 2;
  }
  return upperBound(values, wanted, low, Math.min(low + by, to));
}

/** What a counter is at an instant. */
export function counterAt(
  { counterFirst, counterTime, counterValue }: Timeline,
  counter: number,
  time: number,
): number {
  const from = counterFirst[counter];
  const at = upperBound(counterTime, time, from, counterFirst[counter + 1]) - 1;
  return at < from ? 0 : counterValue[at];
}

const RATES = [
  ['GB/s', 1],
  ['MB/s', 1e-3],
  ['kB/s', 1e-6],
] as const;

/** `118 ops waiting`; rates in a unit that suits them: `22.5 GB/s`, `420 kB/s`. */
export function valueText(value: number, unit: string): string {
  if (unit === 'B') return formatBytes(value);
  if (unit !== 'GB/s' || value === 0) {
    return `${Number.isInteger(value) ? formatCount(value) : value.toPrecision(3)} ${unit}`;
  }
  const [name, size] = RATES.find(([, each]) => value >= each) ?? RATES[2];
  const scaled = value / size;
  return `${scaled >= 100 ? formatCount(Math.round(scaled)) : scaled.toPrecision(3)} ${name}`;
}
