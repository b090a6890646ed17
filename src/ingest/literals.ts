import { hashBytes, lowBytes } from './words.ts';

/** 32-bit cells of the table: enough for a thousand literals. What does not fit is taken apart each time. */
const CELLS = 1 << 15;
/** Longer literals are taken apart each time. Fewer than `SENTINELS`: a compare may run behind the end. */
const MAX_BYTES = 192;
/** Literals that are tried after each node. */
const CHOICES = 4;

/** Where the parts of a node stand, from its number on: a node's number is its first cell. */
export const Cell = {
  /** The nodes that may follow, likeliest first; 0 for none. */
  next: 0,
  /** The shortcuts that may follow, likeliest first; 0 for none. */
  shortcut: 4,
  /** What is left to try shortcuts with: each one learned costs, each one taken pays. Negative: no more. */
  credit: 8,
  /** Bytes of the literal. */
  length: 9,
  /** What the literal leads to; chosen by who taught it. */
  action: 10,
  /** The bits of the literal's last word that count. */
  mask: 11,
  /** Of a shortcut: the node whose literal its last part is, and the meaning of its value. */
  target: 12,
  value: 13,
  words: 14,
} as const;

const CREDIT = 32;
/** Credit is counted modulo a power of two: it never runs over, and starting again from 0 costs little. */
export const MAX_CREDIT = (1 << 30) - 1;
const LEARNING_COSTS = 4;

/** Nodes that stand for no literal: behind the `{` of an event, and behind that of its args (by category). They only have `next`. */
export const EVENT_OPEN = 1;
const ARGS_OPEN = EVENT_OPEN + CHOICES;
const ARGS_OPEN_NODES = 16;

export const argsOpen = (category: number): number => ARGS_OPEN + (category & (ARGS_OPEN_NODES - 1)) * CHOICES;

/**
 * Learns the constant bytes between two values (`,\n    "args": {\n      "External id": `) and what follows what, so that they
 * are compared four bytes at a time instead of being taken apart. A shortcut is a value that comes often together with the
 * literal behind it (`"kernel", "name": `). Every accepted byte is compared: any layout stays correct.
 */
export class Literals {
  /** All nodes in one array: a step from node to node is a few loads from one place. */
  readonly table = new Int32Array(CELLS);
  #used = ARGS_OPEN + ARGS_OPEN_NODES * CHOICES;
  readonly #nodeOfHash = new Map<number, number>();

  /** The node after `node` whose literal stands at `at`, or 0. `MAX_BYTES` behind `at` must be readable. */
  match(node: number, view: DataView, at: number): number {
    return choose(this.table, node + Cell.next, view, at);
  }

  /** The shortcut after `node` that stands at `at`, or 0. */
  matchShortcut(node: number, view: DataView, at: number): number {
    return choose(this.table, node + Cell.shortcut, view, at);
  }

  /**
   * Keeps that after `node` the bytes `[from, to)`, which begin in the args or in the event, lead to `action`. Returns their node, or 0 where
   * there is no room. The same bytes are two nodes in args and event: what may follow is not the same.
   */
  learn(node: number, view: DataView, from: number, to: number, action: number, inArgs: boolean): number {
    const known = this.#nodeOf(view, from, to, action, inArgs);
    // Node 0 stands for what was not learned; nothing follows it.
    if (known !== 0 && node !== 0) prepend(this.table, node + Cell.next, known);
    return known;
  }

  /** Keeps that after `node` a value that means `value` and the literal of `target` together are the bytes `[from, to)`. */
  learnShortcut(node: number, target: number, view: DataView, from: number, to: number, value: number): void {
    const { table } = this;
    table[node + Cell.credit] -= LEARNING_COSTS;
    if (table[node + Cell.credit] < 0) {
      // Its values are too many: trying would cost more than it saves.
      table.fill(0, node + Cell.shortcut, node + Cell.shortcut + CHOICES);
      return;
    }
    const shortcut = this.#add(view, from, to, table[target + Cell.action]);
    if (shortcut === 0) return;
    table[shortcut + Cell.target] = target;
    table[shortcut + Cell.value] = value;
    prepend(table, node + Cell.shortcut, shortcut);
  }

  #nodeOf(view: DataView, from: number, to: number, action: number, inArgs: boolean): number {
    const hash = hashBytes(view, from, to) + (action * 2 + Number(inArgs)) * 2 ** 32;
    const known = this.#nodeOfHash.get(hash);
    if (known !== undefined) {
      const isSame = this.table[known + Cell.length] === to - from && stands(this.table, known, view, from);
      return isSame ? known : 0;
    }
    const node = this.#add(view, from, to, action);
    if (node !== 0) this.#nodeOfHash.set(hash, node);
    return node;
  }

  #add(view: DataView, from: number, to: number, action: number): number {
    const { table } = this;
    const length = to - from;
    const wordCount = (length + 3) >> 2;
    const node = this.#used;
    if (length > MAX_BYTES || node + Cell.words + wordCount > table.length) return 0;
    this.#used += Cell.words + wordCount;
    table[node + Cell.credit] = CREDIT;
    table[node + Cell.length] = length;
    table[node + Cell.action] = action;
    table[node + Cell.mask] = length % 4 === 0 ? -1 : lowBytes(-1, length % 4);
    for (let word = 0; word < wordCount; word++) table[node + Cell.words + word] = view.getInt32(from + word * 4, true);
    return node;
  }
}

/** Which of the choices from cell `first` on stands at `at`; 0 for none. It moves one place up: the likeliest come first. */
function choose(table: Int32Array, first: number, view: DataView, at: number): number {
  for (let choice = first; choice < first + CHOICES; choice++) {
    const node = table[choice];
    if (node === 0) return 0;
    if (!stands(table, node, view, at)) continue;
    if (choice > first) {
      table[choice] = table[choice - 1];
      table[choice - 1] = node;
    }
    return node;
  }
  return 0;
}

/** Puts a node in front of the choices from cell `first` on; the last one goes. */
function prepend(table: Int32Array, first: number, node: number): void {
  for (let choice = first; choice < first + CHOICES; choice++) if (table[choice] === node) return;
  table.copyWithin(first + 1, first, first + CHOICES - 1);
  table[first] = node;
}

/** Whether the literal of `node` stands at `at`. */
export function stands(table: Int32Array, node: number, view: DataView, at: number): boolean {
  const last = at + table[node + Cell.length] - 4;
  let word = node + Cell.words;
  let here = at;
  for (; here < last; here += 4) if (view.getInt32(here, true) !== table[word++]) return false;
  return ((view.getInt32(here, true) ^ table[word]) & table[node + Cell.mask]) === 0;
}
