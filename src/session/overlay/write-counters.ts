import type { CountersResult } from '../../analyses/counters/result.ts';
import type { Trace } from '../../trace/trace.ts';
import { RowFlag } from '../../trace/tables.ts';
import { addNs } from './arrows.ts';
import { membersOf, textOf } from './row-members.ts';
import type { RowEditor } from './row-rewriter.ts';
import { type RewriteOptions, rewriteTrace } from './write-overlay.ts';

/**
 * The trace once more, all its rows as they are, with a counter row behind them for each step of each series. Returns how many. The file
 * appears whole or not at all. Rejects with the system's error.
 */
export async function writeCounters(trace: Trace, counters: CountersResult, options: RewriteOptions): Promise<number> {
  const editor = new CountersEditor(trace, counters);
  await rewriteTrace(trace, editor, options);
  return editor.count;
}

/** Where a series is drawn, and in what. */
interface Shown {
  readonly process: string;
  readonly unit: string;
}

/** Rows that may be looked at for the file's way to write times: the first of them that is whole is. */
const ANCHORS = 64;

class CountersEditor implements RowEditor {
  count = 0;
  readonly #counters: CountersResult;
  /** Rows carry absolute times as the file writes them: they are reckoned from one row whose time is known both ways. By byte offset. */
  readonly #anchors = new Map<number, number>();
  #anchor: { readonly ts: string; readonly startNs: number } | undefined;

  constructor({ events }: Trace, counters: CountersResult) {
    this.#counters = counters;
    for (let e = 0; e < events.length && this.#anchors.size < ANCHORS; e++) {
      if ((events.flags[e] & RowFlag.noTiming) === 0) this.#anchors.set(events.byteOffset[e], events.start[e]);
    }
  }

  edit(row: Uint8Array, byteOffset: number): undefined {
    if (this.#anchor !== undefined) return undefined;
    const startNs = this.#anchors.get(byteOffset);
    const ts = startNs === undefined ? undefined : membersOf(row).get('ts');
    if (startNs !== undefined && ts !== undefined) this.#anchor = { ts: textOf(row, ts.start, ts.end), startNs };
    return undefined;
  }

  *added(): Generator<string> {
    const { queues, bandwidths, points = [], window } = this.#counters;
    const series = new Map<string, Shown>();
    for (const { series: name, process } of queues) series.set(name, { process, unit: 'ops' });
    for (const { series: name, process } of bandwidths) series.set(name, { process, unit: 'GB/s' });
    const last = new Map<string, number>();
    for (const { series: name, timeNs, value } of points) {
      const of = series.get(name);
      if (of === undefined) continue;
      last.set(name, value);
      yield* this.#row(name, of, timeNs, value);
    }
    // A viewer draws the last value on to the end of time.
    for (const [name, of] of series) if ((last.get(name) ?? 0) !== 0) yield* this.#row(name, of, window.endNs, 0);
  }

  *#row(name: string, of: Shown, timeNs: number, value: number): Generator<string> {
    if (this.#anchor === undefined) return;
    this.count++;
    const pid = /^\d{1,15}$/.test(of.process) ? of.process : JSON.stringify(of.process);
    const ts = addNs(this.#anchor.ts, timeNs - this.#anchor.startNs);
    yield `{"ph": "C", "cat": "longpole", "name": ${JSON.stringify(name)}, "pid": ${pid}, "tid": 0, "ts": ${ts}, "args": {"${of.unit}": ${value}}}`;
  }
}
