import { type Communicator, isTransfer } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import { bestShift } from './shift.ts';

interface Pair {
  readonly sends: Found[];
  readonly receives: Found[];
}

/** Sends and their receives: by directed pair and size, in order. O(n). */
export function transfersOf({ key, parts }: Communicator, book: MatchBook): void {
  const pairs = new Map<string, Pair>();
  for (const part of parts) {
    const { rank, calls } = book.ranks[part.at];
    for (const call of part.calls) {
      const { op, peer, sizeBytes } = calls[call];
      if (!isTransfer(calls[call]) || peer === -1) continue;
      const [from, to] = op === 'send' ? [rank, peer] : [peer, rank];
      const name = `${from}>${to} ${sizeBytes ?? '?'}`;
      const pair = pairs.get(name) ?? { sends: [], receives: [] };
      pairs.set(name, pair);
      (op === 'send' ? pair.sends : pair.receives).push({ at: part.at, part, call });
    }
  }
  for (const pair of pairs.values()) inOrder(key, pair, book);
}

function inOrder(key: string, { sends, receives }: Pair, book: MatchBook): void {
  if (sends.length === 0 || receives.length === 0) return;
  const ends = (found: readonly Found[]): number[] => found.map((each) => book.callOf(each).endNs);
  const voted = bestShift(ends(sends), ends(receives));
  if (voted === undefined && sends.length !== receives.length) {
    book.ambiguous(sends.length + receives.length);
    return;
  }
  const shift = voted?.shift ?? 0;
  for (let i = Math.max(0, -shift); i < sends.length && i + shift < receives.length; i++) {
    book.transfer(key, shift === 0 ? 'order' : 'heuristic:order', sends[i], receives[i + shift]);
  }
}
