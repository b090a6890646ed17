import type { Group } from '../graph/collective-facts.ts';
import { listOf } from '../graph/dtype.ts';
import type { CommGroup } from './model.ts';

/** The process groups of one rank, in the order in which it met them. */
export class GroupTable {
  readonly groups: CommGroup[] = [];
  readonly #places = new Map<string, number>();

  /** The place of the group that a call's args tell of. */
  named(group: Group): number {
    const ranks = fullRanks(group);
    const size = ranks?.length ?? group.size;
    const key = `${group.name ?? group.description ?? ''}|${ranks === undefined ? `${group.ranks ?? '?'}×${size ?? '?'}` : shortList(ranks)}`;
    return this.#place(key, () => ({
      key,
      name: group.name ?? '',
      description: group.description ?? '',
      ranks,
      size,
      signature: '',
    }));
  }

  /** That of a group which the trace does not name: PyTorch has a stream for each. */
  unnamed(stream: number): number {
    const key = `?${stream}`;
    return this.#place(key, () => ({
      key,
      name: '',
      description: '',
      ranks: undefined,
      size: undefined,
      signature: '',
    }));
  }

  #place(key: string, make: () => CommGroup): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.groups.length);
    this.groups.push(make());
    return this.groups.length - 1;
  }
}

function fullRanks({ ranks, size }: Group): readonly number[] | undefined {
  const list = ranks === undefined ? undefined : listOf(ranks);
  if (list === undefined || list.length === 0 || new Set(list).size !== list.length) return undefined;
  if (size !== undefined && size !== list.length) return undefined;
  return list.every((rank): rank is number => Number.isSafeInteger(rank) && (rank as number) >= 0) ? list : undefined;
}

/** `0+8×64`: from 0 in steps of 8, 64 of them; else the list as it is. So that the key of a group of thousands stays short. */
export function shortList(ranks: readonly number[]): string {
  const step = ranks.length > 1 ? ranks[1] - ranks[0] : 1;
  const isRegular = ranks.every((rank, i) => rank === ranks[0] + i * step);
  return isRegular ? `${ranks[0]}+${step}×${ranks.length}` : ranks.join(',');
}
