import { byKey } from './match-key.ts';
import { byOrder } from './match-order.ts';
import { transfersOf } from './match-transfers.ts';
import { communicatorsOf } from './communicators.ts';
import { MatchBook } from './match-book.ts';
import type { Meeting, RankCalls } from './model.ts';

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
  for (const communicator of communicatorsOf(ranks)) {
    if (communicator.parts.length === 1) continue;
    if (!byKey(communicator, book)) byOrder(communicator, book);
    transfersOf(communicator, book);
  }
  return { meetings: book.sorted(), report: book.report };
}
