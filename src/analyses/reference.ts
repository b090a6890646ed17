/** How results point at an event: the same shape in every JSON document. Absent values are left out. */
export interface EventReference {
  /** The position in the file's `traceEvents`; printed as `e-24`. */
  readonly event: number;
  readonly name: string;
  readonly correlation?: number;
  /** `s-0.20` (device.stream) or `t-4000.100` (pid.tid). */
  readonly lane: string;
}
