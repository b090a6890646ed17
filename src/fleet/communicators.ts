import type { CommCall, CommGroup, RankCalls } from './model.ts';

/** What one rank called in a communicator. */
export interface Part {
  /** Place of the rank in the job's list. */
  readonly at: number;
  readonly group: CommGroup;
  /** Its calls there, by their place in `RankCalls.calls`, ascending. */
  readonly calls: readonly number[];
}

/** A process group as several ranks have it. */
export interface Communicator {
  readonly key: string;
  readonly isNamed: boolean;
  /** Ascending by rank. */
  readonly parts: readonly Part[];
}

/**
 * The groups of all ranks, put together: those with a name by name and ranks; those without by their stream where it is used for the same
 * on all ranks that have it, else by what is called in them, in the order of their first call.
 */
export function communicatorsOf(ranks: readonly RankCalls[]): Communicator[] {
  const found = new Map<string, { isNamed: boolean; parts: Part[] }>();
  const isShared = sharedStreams(ranks);
  ranks.forEach((rank, at) => {
    const calls: number[][] = rank.groups.map(() => []);
    rank.calls.forEach(({ group }, call) => calls[group].push(call));
    const seen = new Map<string, number>();
    rank.groups.forEach((group, place) => {
      if (calls[place].length === 0) return;
      const isNamed = group.signature === '';
      let { key } = group;
      if (!isNamed && !isShared.has(key)) {
        const count = seen.get(group.signature) ?? 0;
        seen.set(group.signature, count + 1);
        key = `?${group.signature}#${count}`;
      }
      const entry = found.get(key) ?? { isNamed, parts: [] };
      found.set(key, entry);
      entry.parts.push({ at, group, calls: calls[place] });
    });
  });
  return [...found].map(([key, { isNamed, parts }]) => ({ key, isNamed, parts }));
}

/** Keys of groups without a name that all ranks have, with something in common that they call there. */
function sharedStreams(ranks: readonly RankCalls[]): ReadonlySet<string> {
  const common = new Map<string, { count: number; words: Set<string> }>();
  for (const { groups } of ranks) {
    for (const { key, signature } of groups) {
      if (signature === '') continue;
      const words = signature.split(' ');
      const known = common.get(key);
      if (known === undefined) common.set(key, { count: 1, words: new Set(words) });
      else {
        known.count++;
        known.words = new Set(words.filter((word) => known.words.has(word)));
      }
    }
  }
  return new Set(
    [...common].filter(([, { count, words }]) => count === ranks.length && words.size > 0).map(([key]) => key),
  );
}

/** A send or a receive: it meets one other rank, not the group. */
export const isTransfer = ({ op }: CommCall): boolean => op === 'send' || op === 'recv';

/** What calls that are one have in common, as far as each of them tells. */
export function disagrees(a: CommCall, b: CommCall): boolean {
  if (a.op !== b.op && a.op !== 'unknown' && b.op !== 'unknown') return true;
  return !hasOwnSize(a) && a.sizeBytes !== undefined && b.sizeBytes !== undefined && a.sizeBytes !== b.sizeBytes;
}

/** May its size differ from rank to rank? */
export const hasOwnSize = ({ op }: CommCall): boolean =>
  op === 'all-to-all' ||
  op === 'gather' ||
  op === 'scatter' ||
  op === 'send-recv' ||
  op === 'unknown' ||
  op === 'custom';
