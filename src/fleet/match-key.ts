import { type Communicator, disagrees, isTransfer } from './communicators.ts';
import type { Found, MatchBook } from './match-book.ts';
import type { CommCall, Meeting } from './model.ts';

/** An id or a number; with a suffix where several calls of a rank have it. */
type Key = string | number;

/**
 * Puts calls together that say by themselves which call of the group they are. False where they do not, or not in a way that can be true on all
 * ranks.
 */
export function byKey(communicator: Communicator, book: MatchBook): boolean {
  return byField(communicator, book, 'comms-id') || byField(communicator, book, 'sequence');
}

function byField({ key, parts }: Communicator, book: MatchBook, how: 'comms-id' | 'sequence'): boolean {
  const meetings = new Map<Key, Found[]>();
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

/** Each call has its own; calls that were launched together may share one. */
function idsOf(calls: readonly CommCall[]): Key[] | undefined {
  const ids = calls.map(({ commsId }) => commsId);
  return ids.includes('') || areShared(ids) ? undefined : numbered(ids);
}

/**
 * `Seq` where it counts the group's calls: mostly it rises by one (rows may be lost). Where it counts all calls of the process, or two a call, the
 * same number stands for other calls elsewhere.
 */
function sequencesOf(calls: readonly CommCall[]): Key[] | undefined {
  const numbers = calls.map(({ sequence }) => sequence);
  if (numbers.some((number) => number < 0) || areShared(numbers)) return undefined;
  const rising = new Float64Array(numbers).sort();
  let [byOne, steps] = [0, 0];
  for (let i = 1; i < rising.length; i++) {
    if (rising[i] === rising[i - 1]) continue;
    steps++;
    if (rising[i] === rising[i - 1] + 1) byOne++;
  }
  return byOne * 2 >= steps ? numbered(numbers) : undefined;
}

/** What most calls have in common tells them apart no more. */
const areShared = (keys: readonly Key[]): boolean => keys.length > 1 && new Set(keys).size * 2 <= keys.length;

/** The first call of a key has it as it is, the next one is its second, and so on. */
function numbered(keys: readonly Key[]): Key[] {
  const count = new Map<Key, number>();
  return keys.map((key) => {
    const before = count.get(key) ?? 0;
    count.set(key, before + 1);
    return before === 0 ? key : `${key} #${before}`;
  });
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
