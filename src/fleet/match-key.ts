import { type Communicator, disagrees, isTransfer } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { CommCall, Meeting } from './model.ts';

/**
 * Puts calls together that say by themselves which call of the group they are. False where they do not, or not in a way that can be true on all
 * ranks.
 */
export function byKey(communicator: Communicator, book: MatchBook): boolean {
  return byField(communicator, book, 'comms-id') || byField(communicator, book, 'sequence');
}

function byField({ key, parts }: Communicator, book: MatchBook, how: 'comms-id' | 'sequence'): boolean {
  const meetings = new Map<string | number, Found[]>();
  for (const part of parts) {
    const calls = part.calls.filter((call) => !isTransfer(book.ranks[part.at].calls[call]));
    const keys = (how === 'comms-id' ? idsOf : sequencesOf)(calls.map((call) => book.ranks[part.at].calls[call]));
    if (keys === undefined) return false;
    calls.forEach((call, i) => {
      const found = { at: part.at, part, call };
      const known = meetings.get(keys[i]);
      if (known === undefined) meetings.set(keys[i], [found]);
      else known.push(found);
    });
  }
  if (!isCredible([...meetings.values()], book)) return false;
  for (const found of meetings.values()) book.meet(key, how satisfies Meeting['how'], found);
  return true;
}

/** Each call has its own. */
function idsOf(calls: readonly CommCall[]): string[] | undefined {
  const ids = calls.map(({ commsId }) => commsId);
  return ids.includes('') || new Set(ids).size !== ids.length ? undefined : ids;
}

/**
 * `Seq` where it counts the group's calls: it always rises, mostly by one (rows may be lost). Where it counts all calls of the process, or
 * two a call, the same number stands for other calls elsewhere.
 */
function sequencesOf(calls: readonly CommCall[]): number[] | undefined {
  const numbers = calls.map(({ sequence }) => sequence);
  if (numbers.some((number) => number < 0)) return undefined;
  let byOne = 0;
  for (let i = 1; i < numbers.length; i++) {
    if (numbers[i] <= numbers[i - 1]) return undefined;
    if (numbers[i] === numbers[i - 1] + 1) byOne++;
  }
  return byOne * 2 >= numbers.length - 1 ? numbers : undefined;
}

/** A key under which most calls disagree is none. */
function isCredible(all: readonly (readonly Found[])[], book: MatchBook): boolean {
  let common = 0;
  let agree = 0;
  for (const found of all) {
    if (found.length < 2) continue;
    common++;
    const first = book.callOf(found[0]);
    if (found.every((each) => !disagrees(first, book.callOf(each)))) agree++;
  }
  return agree * 2 >= common;
}
