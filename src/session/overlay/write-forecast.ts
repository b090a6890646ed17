import type { WhatIfPrediction } from '../../analyses/what-if/result.ts';
import type { Trace } from '../../trace/trace.ts';
import { addNs } from './arrows.ts';
import { membersOf, textOf } from './row-members.ts';
import type { RowEditor } from './row-rewriter.ts';
import { type RewriteOptions, rewriteTrace } from './write-overlay.ts';

type Timeline = NonNullable<WhatIfPrediction['timeline']>;

/**
 * The trace once more, all its rows as they are, with the re-simulated events behind them, under processes of their own. Returns how
 * many. The file appears whole or not at all. Rejects with the system's error.
 */
export async function writeForecast(trace: Trace, timeline: Timeline, options: RewriteOptions): Promise<number> {
  const editor = new ForecastEditor(trace, timeline);
  await rewriteTrace(trace, editor, options);
  return editor.count;
}

/** Rows carry absolute times as the file writes them: they are reckoned from one row whose time is known both ways. */
interface Anchor {
  readonly byteOffset: number;
  readonly startNs: number;
}

class ForecastEditor implements RowEditor {
  count = 0;
  readonly #trace: Trace;
  readonly #timeline: Timeline;
  readonly #rowOf = new Map<number, number>();
  readonly #anchor: Anchor | undefined;
  #anchorTs: string | undefined;

  constructor(trace: Trace, timeline: Timeline) {
    this.#trace = trace;
    this.#timeline = timeline;
    const { events } = trace;
    const wanted = new Set(timeline.map(({ event }) => event));
    for (let e = 0; e < events.length; e++) if (wanted.has(events.position[e])) this.#rowOf.set(events.position[e], e);
    const first = this.#rowOf.get(timeline[0]?.event ?? -1);
    if (first !== undefined) this.#anchor = { byteOffset: events.byteOffset[first], startNs: events.start[first] };
  }

  edit(row: Uint8Array, byteOffset: number): undefined {
    if (byteOffset !== this.#anchor?.byteOffset) return undefined;
    const ts = membersOf(row).get('ts');
    if (ts !== undefined) this.#anchorTs = textOf(row, ts.start, ts.end);
    return undefined;
  }

  *added(): Generator<string> {
    const { tracks, events, strings, categories } = this.#trace;
    if (this.#anchorTs === undefined || this.#anchor === undefined) return;
    const processes = new Map<string, number>();
    const named = new Set<number>();
    let free = freePid(this.#trace);
    for (const { event, startNs, endNs } of this.#timeline) {
      const row = this.#rowOf.get(event);
      if (row === undefined) continue;
      const trackId = events.track[row];
      const track = tracks[trackId];
      let pid = processes.get(track.pid);
      if (pid === undefined) {
        pid = free++;
        processes.set(track.pid, pid);
        yield nameRow('process_name', pid, '0', `what-if: ${track.processName ?? track.pid}`);
      }
      if (!named.has(trackId)) {
        named.add(trackId);
        yield nameRow('thread_name', pid, tidText(track.tid), track.threadName ?? track.tid);
      }
      this.count++;
      const name = JSON.stringify(strings.text(events.name[row]));
      const category = JSON.stringify(categories[events.category[row]].name);
      const ts = addNs(this.#anchorTs, startNs - this.#anchor.startNs);
      const dur = ((endNs - startNs) / 1000).toFixed(3);
      yield `{"ph": "X", "cat": ${category}, "name": ${name}, "pid": ${pid}, "tid": ${tidText(track.tid)}, "ts": ${ts}, "dur": ${dur}, "args": {"measured": "e-${event}"}}`;
    }
  }
}

const nameRow = (kind: string, pid: number, tid: string, name: string): string =>
  `{"ph": "M", "name": "${kind}", "pid": ${pid}, "tid": ${tid}, "args": {"name": ${JSON.stringify(name)}}}`;

const tidText = (tid: string): string => (/^\d{1,15}$/.test(tid) ? tid : JSON.stringify(tid));

/** Above every process of the trace. */
function freePid({ tracks }: Trace): number {
  let most = 0;
  for (const { pid } of tracks) if (/^\d{1,15}$/.test(pid)) most = Math.max(most, Number(pid));
  return most + 1;
}
