import type { Clock } from './program.ts';
import type { KinetoOptions } from './kineto-options.ts';

/** The profiler's base: 2024-04-01. */
export const BASE_UNIX_NS = '1711964646000000000';
const BASE_UNIX_US = 1_711_964_646_000_000;
/** True time 0 lies so long after the base: clocks that are behind stay positive. */
const LEAD_NS = 3_600_000_000_000;

/** Times as a rank's clock shows them and a file writes them. */
export class KinetoClock {
  readonly #options: KinetoOptions;
  readonly #rate: number;
  readonly #offset: number;

  constructor(options: KinetoOptions, clock: Clock | undefined, of: 'host' | 'device') {
    this.#options = options;
    this.#rate = (clock?.driftPpm ?? 0) / 1e6;
    this.#offset = (clock?.offsetNs ?? 0) + (of === 'device' ? (clock?.deviceOffsetNs ?? 0) : 0);
  }

  /** What the rank's clock shows at a true time, whole ns since the base. */
  read(trueNs: number): number {
    const shift = this.#rate === 0 ? this.#offset : Math.round(this.#offset + trueNs * this.#rate);
    return LEAD_NS + trueNs + shift;
  }

  /** `"ts":…,"dur":…` of an interval of true times. */
  span(start: number, end: number): string {
    const from = this.read(start);
    const to = this.read(end);
    if (this.#options.resolution === 'us') {
      const fromUs = Math.floor(from / 1000);
      return `"ts":${this.#origin() + fromUs},"dur":${Math.floor(to / 1000) - fromUs}`;
    }
    return `"ts":${this.#text(from, this.#origin())},"dur":${this.#text(to - from, 0)}`;
  }

  /** The value of a `ts` alone. */
  instant(trueNs: number): string {
    const at = this.read(trueNs);
    if (this.#options.resolution === 'us') return String(this.#origin() + Math.floor(at / 1000));
    return this.#text(at, this.#origin());
  }

  #origin(): number {
    return this.#options.epoch === 'absolute' ? BASE_UNIX_US : 0;
  }

  /** Digit by digit: a double near an epoch moves in steps of 250 ns. */
  #text(ns: number, originUs: number): string {
    const us = Math.floor(ns / 1000);
    const rest = ns - us * 1000;
    return `${originUs + us}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
  }
}
