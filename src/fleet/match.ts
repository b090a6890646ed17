import { fitClocks } from './clocks.ts';
import { type Communicator, type Part, communicatorsOf } from './communicators.ts';
import { MatchBook } from './match-book.ts';
import { byKey } from './match-key.ts';
import { byOrder, byTime } from './match-order.ts';
import { transfersOf } from './match-transfers.ts';
import type { Meeting, RankCalls } from './model.ts';
import { RESOLUTION_NS } from './shift.ts';

export type { Desynchronised, MatchReport } from './match-book.ts';

/**
 * Which calls of the ranks are one. By `Comms Id` where each call has its own; by `Seq` where it counts the calls of the group; else by order
 * among calls of one kind, at the shift at which their ends agree best. What cannot be told stays alone. O(n log n) in the calls.
 */
export function matchCalls(ranks: readonly RankCalls[]): {
  readonly meetings: Meeting[];
  readonly report: MatchBook['report'];
} {
  const book = new MatchBook(ranks);
  const mixed: { readonly communicator: Communicator; readonly left: readonly Part[] }[] = [];
  for (const communicator of communicatorsOf(ranks)) {
    if (communicator.parts.length === 1) continue;
    if (!byKey(communicator, book)) {
      const left = byOrder(communicator, book);
      if (left.length > 1) mixed.push({ communicator, left });
    }
    transfersOf(communicator, book);
  }
  const known = book.sorted();
  if (mixed.length > 0 && known.length > 0) {
    const clocks = fitClocks(ranks, known);
    const toleranceNs = Math.max(RESOLUTION_NS, 3 * clocks.check.medianResidualNs);
    for (const { communicator, left } of mixed) byTime(communicator, left, book, clocks, toleranceNs);
  }
  return { meetings: book.sorted(), report: book.report };
}
