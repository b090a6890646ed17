// The rows of a trace, and the JSON that PyTorch's profiler writes of them.

/** A row of `traceEvents`. Times in ns since the recording began. */
export interface Row {
  readonly ph: 'X' | 's' | 'f' | 'i' | 'M';
  readonly cat?: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly start: number;
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: 'e';
  readonly s?: 'g';
  readonly args?: Args;
}

export type Args = Readonly<Record<string, unknown>>;

/** `baseTimeNanoseconds`: rows hold µs since then. */
const BASE_UNIX_NS = '1730000000000000000';
const FIRST_NS = 86_400_000_000_000;

export function writeTrace(rows: readonly Row[], distributedInfo: Args): string {
  return `${[
    '{',
    '  "schemaVersion": 1,',
    '  "deviceProperties": [',
    '    {',
    '      "id": 0, "name": "NVIDIA A10", "totalGlobalMem": 23609475072,',
    '      "computeMajor": 8, "computeMinor": 6,',
    '      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 1536,',
    '      "regsPerBlock": 65536, "warpSize": 32, "numSms": 72',
    '    }',
    '  ],',
    '  "cuda_runtime_version": 12010, "cuda_driver_version": 12020, "cupti_version": 18, "with_stack": 1,',
    `  "distributedInfo": {${fields(distributedInfo)}},`,
    '  "displayTimeUnit": "ms",',
    `  "baseTimeNanoseconds": ${BASE_UNIX_NS},`,
    '  "traceEvents": [',
    inFileOrder(rows).map(writeRow).join(',\n'),
    '  ]',
    '}',
  ].join('\n')}\n`;
}

/** Names first, then what the framework saw, then what the driver saw, then what the profiler says of itself; each by time. */
function inFileOrder(rows: readonly Row[]): Row[] {
  const longerFirst = (a: Row, b: Row): number => (b.dur ?? 0) - (a.dur ?? 0);
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b) || a.start - b.start || longerFirst(a, b));
}

function placeOf({ ph, cat }: Row): number {
  if (ph === 'M') return 0;
  if (ph === 'i' || cat === 'Trace') return 3;
  return cat === 'cpu_op' || cat === 'user_annotation' || cat === 'python_function' || cat === 'fwdbwd' ? 1 : 2;
}

function writeRow({ start, dur, args, ...head }: Row): string {
  const times = `"ts": ${micros(FIRST_NS + start)}${dur === undefined ? '' : `, "dur": ${micros(dur)}`}`;
  const lines = [`    ${fields(head)}`, `    ${times}`];
  if (args !== undefined) lines.push(`    "args": {\n      ${fields(args)}\n    }`);
  return `  {\n${lines.join(',\n')}\n  }`;
}

const fields = (object: object): string =>
  Object.entries(object)
    .map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    .join(', ');

/** Three decimals, digit by digit: a double near an epoch moves in larger steps. */
const micros = (ns: number): string => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;
