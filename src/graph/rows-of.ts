import type { RowKind } from '../trace/kinds.ts';
import { Phase, RowFlag } from '../trace/tables.ts';
import type { Trace } from '../trace/trace.ts';

/** The events whose category is of such a kind and that took time, ascending. Counted first, so that no longer list is ever made. */
export function rowsOf({ events, categories }: Trace, isMeant: (kind: RowKind) => boolean): Int32Array {
  const { category, phase, flags, length } = events;
  const isOfKind = Uint8Array.from(categories, ({ kind }) => (isMeant(kind) ? 1 : 0));
  const isTaken = (e: number): boolean =>
    isOfKind[category[e]] === 1 && phase[e] <= Phase.begin && (flags[e] & RowFlag.noTiming) === 0;
  let count = 0;
  for (let e = 0; e < length; e++) if (isTaken(e)) count++;
  const rows = new Int32Array(count);
  for (let e = 0, at = 0; at < count; e++) if (isTaken(e)) rows[at++] = e;
  return rows;
}
