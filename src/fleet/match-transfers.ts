import { type Communicator, isTransfer } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import { bestShift } from './shift.ts';

interface Pair {
  readonly sends: Found[];
  readonly receives: Found[];
}

/**
 * Sends and their receives: by directed pair and size, in order. Within a labelled step that is told by numbers alone; outside of steps, where one
 * rank has fewer, by the ends. O(n).
 */
export function transfersOf({ key, parts }: Communicator, book: MatchBook): void {
  const pairs = new Map<string, Pair>();
  for (const part of parts) {
    const { rank, calls, steps } = book.ranks[part.at];
    for (const call of part.calls) {
      const { op, peer, sizeBytes, step } = calls[call];
      if (!isTransfer(calls[call]) || peer === -1) continue;
      const [from, to] = op === 'send' ? [rank, peer] : [peer, rank];
      const name = `${from}>${to} ${sizeBytes ?? '?'} ${steps[step] ?? ''}`;
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
  const isEven = sends.length === receives.length;
  const shift = isEven ? 0 : bestShift(ends(sends), ends(receives))?.shift;
  if (shift === undefined) {
    book.ambiguous(sends.length + receives.length);
    return;
  }
  for (let i = Math.max(0, -shift); i < sends.length && i + shift < receives.length; i++) {
    book.transfer(key, isEven ? 'order' : 'heuristic:order', sends[i], receives[i + shift]);
  }
}
