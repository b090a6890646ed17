import type { Group } from '../graph/collective-facts.ts';
import type { CollectiveMarks } from '../graph/collective-marks.ts';
import { listOf } from '../graph/dtype.ts';
import type { DeclaredGroup } from '../trace/trace.ts';
import type { CommGroup } from './model.ts';

/** No job has more ranks: a file that says so lies, and its list would fill the memory. */
const MOST_RANKS = 1 << 20;

/** The process groups of one rank, in the order in which it met them. */
export class GroupTable {
  readonly groups: CommGroup[] = [];
  readonly #places = new Map<string, number>();
  readonly #declared: readonly DeclaredGroup[];
  /** What calls said → the place: lists of ranks are long, and calls many. */
  readonly #said = new Map<string, number>();

  /** `declared`: the list in the head of the trace. */
  constructor(declared: readonly DeclaredGroup[] = []) {
    this.#declared = declared;
  }

  /** The place of the group that a call's args tell of. */
  named(group: Group, { rankStart, rankStride }: Pick<CollectiveMarks, 'rankStart' | 'rankStride'>): number {
    const said = JSON.stringify([group.name, group.description, group.ranks, group.size, rankStart, rankStride]);
    let place = this.#said.get(said);
    if (place === undefined) {
      place = this.#named(group, rankStart, rankStride);
      this.#said.set(said, place);
    }
    return place;
  }

  #named(group: Group, start: number, stride: number): number {
    const ranks = wholeList(group) ?? this.#completed(group, start, stride);
    const size = ranks?.length ?? group.size;
    const members = ranks === undefined ? `${group.ranks ?? '?'}×${size ?? '?'}` : shortList(ranks);
    const { name = '', description = '' } = group;
    return this.#place({ key: `${name || description}|${members}`, name, description, ranks, size, signature: '' });
  }

  /** That of a group which the trace does not name: PyTorch has a stream for each. */
  unnamed(stream: number): number {
    const nothing = { name: '', description: '', ranks: undefined, size: undefined };
    return this.#place({ key: `?${stream}`, ...nothing, signature: '?' });
  }

  #place(group: CommGroup): number {
    const known = this.#places.get(group.key);
    if (known !== undefined) return known;
    this.#places.set(group.key, this.groups.length);
    this.groups.push(group);
    return this.groups.length - 1;
  }

  /** A list that the writer cut: from start, stride and size, else as the head of the trace has the group. Both must begin like the list. */
  #completed({ name, ranks, size }: Group, start: number, stride: number): readonly number[] | undefined {
    const begin = beginOf(ranks ?? '');
    const fits = (list: readonly number[]): boolean => begin.every((rank, i) => list[i] === rank);
    if (size !== undefined && size <= MOST_RANKS && start >= 0 && stride > 0) {
      const spaced = Array.from({ length: size }, (_, i) => start + i * stride);
      if (fits(spaced)) return spaced;
    }
    const found = this.#declared.find(
      (each) => each.name === name && each.ranks !== undefined && (size ?? each.ranks.length) === each.ranks.length,
    );
    return found?.ranks !== undefined && fits(found.ranks) ? found.ranks : undefined;
  }
}

function wholeList({ ranks, size }: Group): readonly number[] | undefined {
  const list = ranks === undefined ? undefined : listOf(ranks);
  if (list === undefined || list.length === 0 || new Set(list).size !== list.length) return undefined;
  if (size !== undefined && size !== list.length) return undefined;
  return list.every((rank): rank is number => Number.isSafeInteger(rank) && (rank as number) >= 0) ? list : undefined;
}

/** The ranks before `...`. */
function beginOf(list: string): number[] {
  const [begin = ''] = list.split('...');
  return [...begin.matchAll(/\d{1,9}/g)].map(([digits]) => Number(digits));
}

/** `0+8×64`: from 0 in steps of 8, 64 of them; else the list as it is. So that the key of a group of thousands stays short. */
export function shortList(ranks: readonly number[]): string {
  const step = ranks.length > 1 ? ranks[1] - ranks[0] : 1;
  const isRegular = ranks.every((rank, i) => rank === ranks[0] + i * step);
  return isRegular ? `${ranks[0]}+${step}×${ranks.length}` : ranks.join(',');
}

/** What `shortList` made a list of; `undefined` where it is nothing of the kind. */
export function longList(short: string): readonly number[] | undefined {
  const [, first, step, count] = /^(\d+)\+(-?\d+)×(\d{1,9})$/.exec(short) ?? [];
  if (count !== undefined) return Array.from({ length: Number(count) }, (_, i) => Number(first) + i * Number(step));
  return /^\d+(,\d+)*$/.test(short) ? short.split(',').map(Number) : undefined;
}
