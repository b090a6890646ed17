// A rank's trace made from that of a simulated one: with its own rank, clock and groups, and all else as it was.

/** What differs from rank to rank: its rank, the number of ranks, a whole list of them, the list as kernels have it, since when times count. */
type Place = 'rank' | 'size' | 'ranks' | 'members' | 'base';

/** A trace, taken apart at what differs. */
export interface Template {
  /** Texts between places; a place follows each but the last. */
  readonly texts: readonly string[];
  readonly places: readonly Place[];
}

const DIFFERS: readonly (readonly [Place, string])[] = [
  ['rank', '"rank":(\\d+)'],
  ['size', '"(?:world_size|pg_size|Group size)":(\\d+)'],
  ['ranks', '"ranks":(\\[[\\d,]*\\])'],
  ['members', '"Process Group Ranks":("[^"]*")'],
  ['base', '"baseTimeNanoseconds":(\\d+)'],
];

export function templateOf(chunks: Iterable<string>): Template {
  const json = [...chunks].join('');
  const texts: string[] = [];
  const places: Place[] = [];
  let at = 0;
  for (const match of json.matchAll(RegExp(DIFFERS.map(([, pattern]) => pattern).join('|'), 'g'))) {
    const [whole, ...values] = match;
    const which = values.findIndex((value) => value !== undefined);
    const [place] = DIFFERS[which] ?? ['rank'];
    const begin = match.index + whole.length - (values[which] ?? '').length;
    texts.push(json.slice(at, begin));
    places.push(place);
    at = match.index + whole.length;
  }
  texts.push(json.slice(at));
  return { texts, places };
}

/** Rank `rank` of a job of so many, all in one group, whose clock is up to a second away from others'. */
export function stampRank({ texts, places }: Template, rank: number, ranks: number): string {
  const values: Readonly<Record<Place, string>> = {
    rank: String(rank),
    size: String(ranks),
    ranks: JSON.stringify(Array.from({ length: ranks }, (_, member) => member)),
    // PyTorch cuts long lists.
    members: '"[0, 1, 2, ...]"',
    base: String(1_700_000_000_000_000_000n + BigInt(skewNs(rank))),
  };
  const parts = texts.flatMap((text, at) => [text, at < places.length ? values[places[at] ?? 'rank'] : '']);
  return parts.join('');
}

/** How far the rank's clock is from the job's. */
export const skewNs = (rank: number): number => (Math.imul(rank + 1, 2_654_435_761) >>> 0) % 1_000_000_000;
