import type { StepSummary } from '../../graph/step-series.ts';
import type { ScopeResult } from '../scope.ts';

/** How many device ops waited on one stream: launched, and not begun. The one that runs does not count. */
export interface QueueSeries {
  /** `queue depth s-0.7` */
  readonly series: string;
  readonly lane: string;
  /** `pid` of its rows in the trace. */
  readonly process: string;
  /** Steps within the windows. */
  readonly steps: number;
  /** Each value weighted by how long it held in the windows; absent where they have no length. */
  readonly overTime?: StepSummary;
  /** How long nothing waited, of the windows, 0…1. */
  readonly emptyShare: number;
}

/** The bandwidth of one kind of copy on one device, summed over those that run at once. GB/s: 1e9 bytes a second. */
export interface BandwidthSeries {
  /** `Memcpy HtoD GB/s of device 0` */
  readonly series: string;
  readonly device: number;
  /** `pid` of its rows in the trace. */
  readonly process: string;
  /** `Memcpy HtoD`, `Memset`. */
  readonly kind: string;
  readonly steps: number;
  /** Those that run in the windows. */
  readonly copies: number;
  /** Of the copies whose row tells it, whole even where the window cuts them; absent where none does. */
  readonly bytes?: number;
  /** Copies without a bandwidth: the row tells neither it nor the bytes, or the copy took no time. They count in no summary. */
  readonly untold: number;
  /** Copies whose row has a negative bandwidth or negative bytes: damage, of which no use is made. */
  readonly damaged: number;
  /** How long at least one ran. */
  readonly activeNs: number;
  /** Mean over the whole windows, the time without copies included; absent where they have no length, or no copy tells its bandwidth. */
  readonly meanGBps?: number;
  /** While one runs whose bandwidth is known, each value weighted by how long it held; absent where none does. */
  readonly whileActive?: StepSummary;
}

/** A step of a series: the value holds from here until the next one. */
export interface CounterPoint {
  readonly series: string;
  readonly timeNs: number;
  /** Device ops that wait, or GB/s. */
  readonly value: number;
}

export interface CountersResult extends ScopeResult {
  /** Most used first. */
  readonly queues: readonly QueueSeries[];
  /** By device, then most bytes first. */
  readonly bandwidths: readonly BandwidthSeries[];
  /** Counter rows of the trace itself: their names and how many; their values are not read. */
  readonly ownCounters: readonly { readonly name: string; readonly rows: number }[];
  /** Steps of all series in time order, where they were asked for: each value holds until the series' next one. */
  readonly points?: readonly CounterPoint[];
}
