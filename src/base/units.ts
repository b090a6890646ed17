import type { Brand } from './brand.ts';

/** An instant: integer nanoseconds since the trace's origin (may be negative only for rows without plausible timing). */
export type TimeNs = Brand<number, 'TimeNs'>;

/** A length of time: integer nanoseconds. Signed, since a lag may be negative where two clocks disagree. */
export type DurNs = Brand<number, 'DurNs'>;

export const timeNs = (ns: number): TimeNs => ns as TimeNs;
export const durNs = (ns: number): DurNs => ns as DurNs;

/** The length from `first` to `second`; negative when `second` is earlier. */
export const between = (first: TimeNs, second: TimeNs): DurNs => durNs(second - first);

/** The instant `length` after `start`. */
export const after = (start: TimeNs, length: DurNs): TimeNs => timeNs(start + length);
