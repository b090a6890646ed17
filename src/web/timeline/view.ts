/** The part of time that is on the screen. Times in ns since the trace's origin, not necessarily whole. */
export interface View {
  readonly start: number;
  readonly end: number;
}

export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** No closer: a nanosecond is then some hundred pixels wide. */
const LEAST_SPAN = 8;
/** Empty time that may be shown on either side, as a share of the whole. */
const MARGIN = 0.02;

export const spanOf = ({ start, end }: View): number => end - start;

/** All of it, with a margin. */
export function wholeOf({ start, end }: Bounds): View {
  const margin = Math.max(end - start, LEAST_SPAN) * MARGIN;
  return { start: start - margin, end: end + margin };
}

/** The nearest view that is neither too close nor beside the trace. */
export function within(view: View, bounds: Bounds): View {
  const whole = wholeOf(bounds);
  const span = Math.min(Math.max(spanOf(view), LEAST_SPAN), spanOf(whole));
  const middle = (view.start + view.end) / 2;
  const start = Math.min(Math.max(middle - span / 2, whole.start), whole.end - span);
  return { start, end: start + span };
}

/** `factor` below 1 is closer; what is at `at` stays where it is. */
export function zoomed(view: View, factor: number, at: number, bounds: Bounds): View {
  const whole = spanOf(wholeOf(bounds));
  const span = Math.min(Math.max(spanOf(view) * factor, LEAST_SPAN), whole);
  const real = span / spanOf(view);
  const start = at - (at - view.start) * real;
  return within({ start, end: start + span }, bounds);
}

/** Moved by a share of what is shown; above 0 is later. */
export function panned(view: View, share: number, bounds: Bounds): View {
  const by = spanOf(view) * share;
  return within({ start: view.start + by, end: view.end + by }, bounds);
}

/** A span of time with room around it. */
export function fitted({ start, end }: View, bounds: Bounds, room = 0.05): View {
  const margin = Math.max(end - start, LEAST_SPAN) * room;
  return within({ start: start - margin, end: end + margin }, bounds);
}

export const xOf = (time: number, { start, end }: View, width: number): number =>
  ((time - start) / (end - start)) * width;
export const timeAt = (x: number, { start, end }: View, width: number): number => start + (x / width) * (end - start);

/** Where marks of the axis stand: multiples of 1, 2 or 5 × 10ⁿ ns, at least `leastPx` apart. */
export function ticksOf(
  view: View,
  width: number,
  leastPx: number,
): { readonly step: number; readonly times: number[] } {
  const least = Math.max((leastPx / Math.max(width, 1)) * spanOf(view), 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power;
  const times: number[] = [];
  for (let i = Math.ceil(view.start / step); i * step <= view.end; i++) times.push(i * step);
  return { step, times };
}

/** An instant in a unit that suits marks `step` apart: `12.345 ms`. */
export function tickText(time: number, step: number): string {
  const [unit, ns] = step >= 1e8 ? ['s', 1e9] : step >= 1e5 ? ['ms', 1e6] : step >= 1e2 ? ['µs', 1e3] : ['ns', 1];
  const digits = Math.max(0, Math.round(Math.log10(ns) - Math.floor(Math.log10(step))));
  const [whole = '', fraction] = (time / ns).toFixed(digits).split('.');
  return `${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`} ${unit}`;
}

/** `12,345,678 ns`: exact. */
export const exactText = (time: number): string => `${grouped(String(Math.round(time)))} ns`;

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');
