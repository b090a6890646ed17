/** How much memory was allocated: what the rows of the memory profiler say, which are read again. */
import type { Session } from '../library/session.ts';
import { formatCount } from '../base/format.ts';
import type { Memory } from '../protocol/calls.ts';
import type { RowSource } from './event-details.ts';

/** Rows that are read at most: of more, each second, third, … */
const MOST_ROWS = 60_000;
const NAME = '[memory]';

/**
 * One series a device, in order of time; none where the trace has no such rows. Rows that cannot be read again are told, those without a number
 * passed over. O(events), and one pass over the file.
 */
export async function memorySeries(
  { trace }: Session,
  readRows: (byteOffsets: readonly number[]) => Promise<RowSource>,
): Promise<Memory> {
  const { events, strings } = trace;
  const rows: number[] = [];
  const isMemory = new Map<number, boolean>();
  for (let e = 0; e < events.length; e++) {
    const name = events.name[e];
    if (!isMemory.has(name)) isMemory.set(name, strings.text(name) === NAME);
    if (isMemory.get(name) === true) rows.push(e);
  }
  if (rows.length === 0) return { series: [] };
  const nth = Math.ceil(rows.length / MOST_ROWS);
  const kept = rows.filter((_, i) => i % nth === 0);
  const source = await readRows(kept.map((e) => events.byteOffset[e]).sort((a, b) => a - b));
  if (source.kind === 'none') return { series: [], problem: `no memory lanes: ${source.why}` };
  let unread = 0;
  const series = new Map<string, { timeNs: number[]; bytes: number[] }>();
  for (const e of kept) {
    const row = await source.read(events.byteOffset[e]);
    if (row === undefined) unread++;
    const told = amountOf(row);
    if (told === undefined) continue;
    const known = series.get(told.device) ?? { timeNs: [], bytes: [] };
    series.set(told.device, known);
    known.timeNs.push(events.start[e]);
    known.bytes.push(told.bytes);
  }
  return {
    series: [...series].map(([device, { timeNs, bytes }]) => ({ device, nth, timeNs, bytes })),
    ...(unread === 0 ? {} : { problem: unreadText(unread, kept.length) }),
  };
}

const unreadText = (unread: number, of: number): string =>
  unread === of
    ? 'no memory lanes: the file cannot be read again'
    : `memory lanes lack ${formatCount(unread)} of ${formatCount(of)} rows that cannot be read again`;

/** `Device Type` as PyTorch counts: 0 is the host, whose `Device Id` says nothing. */
function amountOf(row: Record<string, unknown> | undefined): { device: string; bytes: number } | undefined {
  const args = row?.['args'];
  if (typeof args !== 'object' || args === null) return undefined;
  const of = args as Record<string, unknown>;
  const [bytes, id, type] = [of['Total Allocated'], of['Device Id'], of['Device Type']];
  if (typeof bytes !== 'number' || !(bytes >= 0) || typeof id !== 'number') return undefined;
  return { device: type === 0 ? 'host' : `device ${id}`, bytes };
}
