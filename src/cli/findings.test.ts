// The largest findings of a report, made again from the trace's own JSON by code that shares nothing with the engine: each stretch of the path
// is looked up in the raw rows, told anew what it is, and summed.
import { expect, test } from 'vitest';
import { runIn } from '../test-kit/run-in-process.ts';
import { realJson, realTrace } from '../test-kit/traces.ts';

const TRACES = [
  'diff/a100_eager.json.gz',
  'single/qwen_h100_stacks.json.gz',
  'single/nccl_args_a100_rank0of2.json.gz',
] as const;

interface Segment {
  readonly kind: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly event?: { readonly event: number; readonly name: string };
}

interface Part {
  readonly kind: string;
  readonly totalNs: number;
  readonly share: number;
  readonly segments: number;
  readonly names: readonly {
    readonly name: string;
    readonly totalNs: number;
    readonly longest: { readonly event: number };
  }[];
}

interface Report {
  readonly criticalPath: {
    readonly traces: readonly { readonly originUnixNs: string }[];
    readonly window: { readonly startNs: number; readonly endNs: number; readonly wallNs: number };
    readonly path: { readonly segments: readonly Segment[] };
  };
  readonly verdict: {
    readonly parts: readonly Part[];
    readonly wallNs: number;
    readonly windows: readonly { readonly startNs: number; readonly endNs: number }[];
  };
}

interface Row {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Of times as text: exact, in ns since the report's origin. */
  readonly start: number;
  readonly end: number;
}

/** Rows with times from their digits: a double of µs since 1970 is too coarse. */
function rowsOf(file: string, originUnixNs: bigint): Row[] {
  const text = new TextDecoder().decode(realJson(file));
  const quoted = text.replace(/"(ts|dur)"\s*:\s*(-?[\d.]+(?:[eE][+-]?\d+)?)/g, '"$1":"$2"');
  const document = JSON.parse(quoted) as {
    traceEvents: (Omit<Row, 'start' | 'end'> & { ts?: string; dur?: string })[];
    baseTimeNanoseconds?: number;
  };
  const base = BigInt(document.baseTimeNanoseconds ?? 0);
  return document.traceEvents.map(({ ts = '0', dur = '0', ...row }) => {
    const start = Number(exactNs(ts) + base - originUnixNs);
    return { ...row, start, end: start + Number(exactNs(dur)) };
  });
}

/** Digits only: no double on the way. */
function exactNs(us: string): bigint {
  const [whole = '0', fraction = ''] = us.split('.');
  return BigInt(whole + fraction.slice(0, 3).padEnd(3, '0'));
}

const HOST = new Set(['cpu_op', 'cuda_runtime', 'cuda_driver', 'Operator', 'Runtime']);
const COPIES = new Set(['gpu_memcpy', 'gpu_memset']);

/** Host rows by thread, in order of start, for looking up what is open at an instant. */
class HostRows {
  readonly #byThread = new Map<string, Row[]>();

  constructor(rows: readonly Row[]) {
    for (const row of rows) {
      if (row.ph !== 'X' || !HOST.has(row.cat ?? '')) continue;
      const key = `${row.pid}/${row.tid}`;
      const known = this.#byThread.get(key);
      if (known === undefined) this.#byThread.set(key, [row]);
      else known.push(row);
    }
    for (const rows of this.#byThread.values()) rows.sort((a, b) => a.start - b.start || b.end - a.end);
  }

  /** The row that began last of those that are open on the thread of `row` at an instant. */
  innermostAt({ pid, tid }: Row, time: number): Row | undefined {
    const rows = this.#byThread.get(`${pid}/${tid}`) ?? [];
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.start ?? Infinity) <= time) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= 0 && i > low - 2_000; i--) {
      const row = rows[i];
      if (row !== undefined && row.end > time) return row;
    }
    return undefined;
  }
}

/** What a stretch of the path is by the rows alone, or why it cannot be what the report says. */
function kindBy(rows: readonly Row[], host: HostRows, segment: Segment): string {
  const row = rows[segment.event?.event ?? -1];
  if (row === undefined) return 'no such row';
  const middle = (segment.startNs + segment.endNs) / 2;
  if (row.cat === 'kernel' || COPIES.has(row.cat ?? '')) {
    const runs = segment.startNs >= row.start && segment.endNs <= row.end;
    if (!runs) return segment.endNs <= row.start ? 'before a device op' : 'not while the op ran';
    if (COPIES.has(row.cat ?? '')) return 'copy';
    return row.args?.['Collective name'] !== undefined || /^(void )?nccl/i.test(row.name) ? 'collective' : 'kernel';
  }
  const open = host.innermostAt(row, middle);
  // A call that may wait: what is not waiting is its own overhead, or its work.
  const mayWait = /Synchronize|Memcpy|EventQuery|Malloc|Free/.test(row.name) && segment.kind === 'sync-overhead';
  if (open === row) return mayWait ? 'sync-overhead' : 'host-work';
  return open === undefined ? 'host-gap' : `inside ${open.name}`;
}

/** Kinds that say nothing but that a device op had not begun yet. */
const BEFORE = new Set(['launch', 'stream-gap', 'unexplained']);

test.each(TRACES)('the three largest findings of %s', async (file) => {
  const { stdout, code } = await runIn('.', ['report', realTrace(file), '--json']);
  expect(code).toBe(0);
  const { criticalPath, verdict } = JSON.parse(stdout) as Report;
  const [trace] = criticalPath.traces;
  const rows = rowsOf(file, BigInt(trace?.originUnixNs ?? 0));
  const host = new HostRows(rows);
  const found = new Map<string, { totalNs: number; segments: number; names: Map<string, number> }>();
  const wrong: string[] = [];
  let at = criticalPath.window.startNs;
  for (const segment of criticalPath.path.segments) {
    if (segment.startNs !== at) wrong.push(`a hole at ${at}`);
    at = segment.endNs;
    // What a verdict is of: neither time between steps nor a step that warms up or is cut off.
    const counts = verdict.windows.some(({ startNs, endNs }) => segment.startNs >= startNs && segment.endNs <= endNs);
    if (!counts) continue;
    const kind = kindBy(rows, host, segment);
    const isSaid = BEFORE.has(segment.kind) ? kind === 'before a device op' : kind === segment.kind;
    if (verdict.parts.slice(0, 3).some((part) => part.kind === segment.kind) && !isSaid) {
      wrong.push(`${segment.kind} e-${segment.event?.event} ${segment.startNs}–${segment.endNs}: ${kind}`);
    }
    const sums = found.get(segment.kind) ?? { totalNs: 0, segments: 0, names: new Map<string, number>() };
    found.set(segment.kind, sums);
    const length = segment.endNs - segment.startNs;
    sums.totalNs += length;
    sums.segments++;
    const name = rows[segment.event?.event ?? -1]?.name ?? '';
    sums.names.set(name, (sums.names.get(name) ?? 0) + length);
  }
  expect(at).toBe(criticalPath.window.endNs);
  expect(wrong.slice(0, 20)).toEqual([]);
  const largest = [...found].sort((a, b) => b[1].totalNs - a[1].totalNs).slice(0, 3);
  expect(verdict.parts.slice(0, 3).map(({ kind, totalNs, segments }) => ({ kind, totalNs, segments }))).toEqual(
    largest.map(([kind, { totalNs, segments }]) => ({ kind, totalNs, segments })),
  );
  for (const { kind, names, share, totalNs } of verdict.parts.slice(0, 3)) {
    expect(share).toBeCloseTo(totalNs / verdict.wallNs, 12);
    for (const each of names) {
      expect(each.totalNs, `${kind} ${each.name}`).toBe(found.get(kind)?.names.get(each.name));
      expect(rows[each.longest.event]?.name).toBe(each.name);
    }
  }
});
