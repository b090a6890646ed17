import type { Window } from '../../graph/windows.ts';
import { groupOf } from './reason.ts';
import { type GroupTime, IDLE_CAUSES, IDLE_GROUPS, type IdleGap } from './result.ts';

/** Idle time by group and cause, in ns: one number a pair. */
export class IdleTotals {
  readonly #ns = new Float64Array(IDLE_GROUPS.length * IDLE_CAUSES.length);
  #idleNs = 0;

  get idleNs(): number {
    return this.#idleNs;
  }

  /** `group`, `cause`: places in the lists. */
  add(group: number, cause: number, ns: number): void {
    this.#ns[group * IDLE_CAUSES.length + cause] += ns;
    this.#idleNs += ns;
  }

  groups(): GroupTime[] {
    const shareOf = (ns: number): number => (this.#idleNs > 0 ? ns / this.#idleNs : 0);
    return IDLE_GROUPS.map((group, row): GroupTime => {
      const causes = IDLE_CAUSES.map((cause, column) => {
        const totalNs = this.#ns[row * IDLE_CAUSES.length + column];
        return { cause, totalNs, share: shareOf(totalNs) };
      });
      const totalNs = causes.reduce((sum, each) => sum + each.totalNs, 0);
      const some = causes.filter((each) => each.totalNs > 0).sort((a, b) => b.totalNs - a.totalNs);
      return { group, totalNs, share: shareOf(totalNs), causes: some };
    });
  }
}

/** By cause: its group. */
const GROUP_OF = IDLE_CAUSES.map((cause) => IDLE_GROUPS.indexOf(groupOf(cause)));

/** Before a device's first op, and after its last, the place counts and not the cause. */
const groupAt = (place: IdleGap['place'], cause: number): number =>
  place === 'between' ? GROUP_OF[cause] : IDLE_GROUPS.indexOf(place);

/** The same by window, and over all. Gaps are given in order of time, and so are their segments. */
export class WindowTotals {
  readonly all = new IdleTotals();
  readonly each: readonly IdleTotals[];
  readonly #windows: readonly Window[];
  /** The first window that ends after the segments so far. */
  #at = 0;

  constructor(windows: readonly Window[]) {
    this.#windows = windows;
    this.each = windows.map(() => new IdleTotals());
  }

  /** Divided where windows meet. */
  add(place: IdleGap['place'], cause: number, start: number, end: number): void {
    const group = groupAt(place, cause);
    this.all.add(group, cause, end - start);
    for (let from = start; from < end;) {
      while (this.#windows[this.#at].end <= from) this.#at++;
      const to = Math.min(end, this.#windows[this.#at].end);
      this.each[this.#at].add(group, cause, to - from);
      from = to;
    }
  }
}
