/** What kinds of collectives there are, what a name says of them, and what moves over the links in each. */

export const OPERATIONS = [
  'all-reduce',
  'all-gather',
  'reduce-scatter',
  'all-to-all',
  'broadcast',
  'reduce',
  'gather',
  'scatter',
  'send',
  'recv',
  'send-recv',
  'barrier',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Without `_`, lower case; the first that a name begins with. */
const BY_START: readonly (readonly [string, Operation])[] = [
  ['allreduce', 'all-reduce'],
  ['allgather', 'all-gather'],
  ['reducescatter', 'reduce-scatter'],
  ['alltoall', 'all-to-all'],
  ['broadcast', 'broadcast'],
  ['reduce', 'reduce'],
  ['gather', 'gather'],
  ['scatter', 'scatter'],
  ['sendrecv', 'send-recv'],
  ['send', 'send'],
  ['recv', 'recv'],
  ['barrier', 'barrier'],
  ['allbarrier', 'barrier'],
];

/**
 * The operation of a `Collective name`, or of an annotation such as `nccl:_all_gather_base` without its prefix; `undefined`: none that is
 * known.
 */
export function operationOf(name: string): Operation | undefined {
  const plain = name.toLowerCase().replaceAll(/[_\s-]/g, '');
  return BY_START.find(([start]) => plain.startsWith(start))?.[1];
}

const IN_KERNEL: readonly (readonly [RegExp, Operation])[] = [
  [/reduce_?scatter/i, 'reduce-scatter'],
  [/all_?reduce|cross_device_reduce|shot_?all_?reduce/i, 'all-reduce'],
  [/all_?gather/i, 'all-gather'],
  [/all_?to_?all/i, 'all-to-all'],
  [/send_?recv/i, 'send-recv'],
  [/broadcast/i, 'broadcast'],
  [/barrier/i, 'barrier'],
  [/(nccl|rccl)\w*_reduce_/i, 'reduce'],
];

/** The operation that a kernel's name tells: a guess, since NCCL runs all-to-alls, and some builds all-reduces, as `SendRecv`. */
export function operationOfKernel(name: string): Operation | undefined {
  return IN_KERNEL.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * The bytes that the operation is about, as nccl-tests counts them: of an all-gather what a rank has in the end, of a reduce-scatter and an
 * all-to-all what it has at first. `undefined` where the trace does not tell.
 */
export function sizeOf(
  operation: Operation,
  inBytes: number | undefined,
  outBytes: number | undefined,
  ranks: number | undefined,
): number | undefined {
  const times = (bytes: number | undefined): number | undefined =>
    bytes === undefined || ranks === undefined ? undefined : bytes * ranks;
  switch (operation) {
    case 'all-gather':
      return outBytes ?? times(inBytes);
    case 'reduce-scatter':
      return inBytes ?? times(outBytes);
    case 'all-to-all':
      return inBytes ?? outBytes;
    case 'gather':
      return times(inBytes);
    case 'scatter':
      return times(outBytes);
    case 'barrier':
      return undefined;
    case 'all-reduce':
    case 'broadcast':
    case 'reduce':
    case 'send':
    case 'recv':
    case 'send-recv':
      return inBytes === undefined && outBytes === undefined ? undefined : Math.max(inBytes ?? 0, outBytes ?? 0);
  }
}

/** Bus bandwidth ÷ algorithm bandwidth: what each link carries of a byte of the operation. `undefined` where it depends on unknown ranks. */
export function busFactor(operation: Operation, ranks: number | undefined): number | undefined {
  switch (operation) {
    case 'all-reduce':
      return ranks === undefined ? undefined : (2 * (ranks - 1)) / ranks;
    case 'all-gather':
    case 'reduce-scatter':
    case 'all-to-all':
    case 'gather':
    case 'scatter':
      return ranks === undefined ? undefined : (ranks - 1) / ranks;
    case 'broadcast':
    case 'reduce':
    case 'send':
    case 'recv':
    case 'send-recv':
      return 1;
    case 'barrier':
      return undefined;
  }
}
