/** What a row is, decided by its category alone: never by its name, its track or the presence of a stream. */
export const RowKind = {
  /** A category that is not in the table below. */
  unknown: 0,
  /** A framework operator on a host thread (`cpu_op`; `Operator` in 2021). */
  op: 1,
  /** A call of the runtime API on a host thread. */
  runtime: 2,
  /** A call of the driver API on a host thread. */
  driver: 3,
  /** A range that the user named on a host thread; it labels, it is not work. */
  annotation: 4,
  /** A Python frame; it labels, it is not work. */
  python: 5,
  kernel: 6,
  copy: 7,
  fill: 8,
  /** Device work of a vendor whose rows are neither kernels nor copies. */
  deviceOther: 9,
  /** A synchronisation row: what waited for what. Not work. */
  sync: 10,
  /** A `cuda_event` row: the record of an event on a stream. Not work. */
  record: 11,
  /** A user's range projected on a device. Not work. */
  gpuAnnotation: 12,
  /** What the profiler says of itself or of the run: `Trace`, overhead, counters, instants. Not work. */
  meta: 13,
} as const;
export type RowKind = (typeof RowKind)[keyof typeof RowKind];

const kindOf: Readonly<Record<string, RowKind>> = {
  cpu_op: RowKind.op,
  Operator: RowKind.op,
  cuda_runtime: RowKind.runtime,
  Runtime: RowKind.runtime,
  xpu_runtime: RowKind.runtime,
  mtia_runtime: RowKind.runtime,
  privateuse1_runtime: RowKind.runtime,
  glow_runtime: RowKind.runtime,
  cuda_driver: RowKind.driver,
  xpu_driver: RowKind.driver,
  privateuse1_driver: RowKind.driver,
  user_annotation: RowKind.annotation,
  python_function: RowKind.python,
  kernel: RowKind.kernel,
  Kernel: RowKind.kernel,
  gpu_memcpy: RowKind.copy,
  Memcpy: RowKind.copy,
  gpu_memset: RowKind.fill,
  Memset: RowKind.fill,
  mtia_ccp_events: RowKind.deviceOther,
  xpu_kernel: RowKind.kernel,
  npu_kernel: RowKind.kernel,
  hpu_op: RowKind.deviceOther,
  concurrent_kernel: RowKind.kernel,
  cuda_sync: RowKind.sync,
  xpu_sync: RowKind.sync,
  cuda_event: RowKind.record,
  gpu_user_annotation: RowKind.gpuAnnotation,
  cuda_profiler_range: RowKind.meta,
  Trace: RowKind.meta,
  overhead: RowKind.meta,
  cpu_instant_event: RowKind.meta,
  ac2g: RowKind.meta,
  async_cpu_to_gpu: RowKind.meta,
  async: RowKind.meta,
  fwdbwd: RowKind.meta,
  async_gpu: RowKind.meta,
  itrace: RowKind.meta,
  mtia_insight: RowKind.meta,
  mtia_counters: RowKind.meta,
  collective_comm: RowKind.meta,
};

/** The kind of a category. Names are matched exactly: a new writer's category is `unknown` until it is added here. */
export function kindOfCategory(category: string): RowKind {
  return Object.hasOwn(kindOf, category) ? (kindOf[category] as RowKind) : RowKind.unknown;
}

export const isDeviceWork = (kind: RowKind): boolean => kind >= RowKind.kernel && kind <= RowKind.deviceOther;
export const isCall = (kind: RowKind): boolean => kind === RowKind.runtime || kind === RowKind.driver;
/** A row that makes host time: it starts after the one before it on its thread. */
export const isHostOp = (kind: RowKind): boolean => kind >= RowKind.op && kind <= RowKind.driver;
