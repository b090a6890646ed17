import { hashBytes, lowBytes } from './words.ts';

/** A literal that would need more nodes, or is longer, is read byte by byte each time. */
const MAX_NODES = 4096;
const MAX_BYTES = 192;
/** Literals that are tried after each node. */
const CHOICES = 4;

/** Nodes that stand for no literal: behind the `{` of an event, and behind that of its args (by category). */
export const EVENT_OPEN = 0;
const ARGS_OPEN = 1;
const ARGS_OPEN_NODES = 16;

export const argsOpen = (category: number): number => ARGS_OPEN + (category & (ARGS_OPEN_NODES - 1));

/**
 * Learns the constant bytes between two values (`,\n    "args": {\n      "External id": `) and what follows what, so that they
 * are compared four bytes at a time instead of being taken apart. Every accepted byte is compared: any layout stays correct.
 */
export class Literals {
  /** Bytes of each node's literal. */
  readonly length = new Int32Array(MAX_NODES);
  /** What each node's literal leads to; chosen by who taught it. */
  readonly action = new Int32Array(MAX_NODES);
  /** The literals, in whole words; the last one's unused bytes are 0. */
  readonly #words = new Int32Array(MAX_NODES * 16);
  readonly #wordFrom = new Int32Array(MAX_NODES);
  #wordCount = 0;
  readonly #next = new Int32Array(MAX_NODES * CHOICES);
  #count = ARGS_OPEN + ARGS_OPEN_NODES;
  readonly #nodeOfHash = new Map<number, number>();

  /** The node after `node` whose literal stands at `at`, or 0. `MAX_BYTES` behind `at` must be readable. */
  match(node: number, view: DataView, at: number): number {
    const from = node * CHOICES;
    const first = this.#next[from];
    if (first === 0) return 0;
    if (this.#stands(first, view, at)) return first;
    for (let choice = from + 1; choice < from + CHOICES; choice++) {
      const other = this.#next[choice];
      if (other === 0) return 0;
      if (!this.#stands(other, view, at)) continue;
      this.#next[choice] = this.#next[choice - 1];
      this.#next[choice - 1] = other;
      return other;
    }
    return 0;
  }

  #stands(node: number, view: DataView, at: number): boolean {
    const words = this.#words;
    const length = this.length[node];
    let word = this.#wordFrom[node];
    const end = at + length;
    let here = at;
    for (; here + 4 <= end; here += 4) if (view.getInt32(here, true) !== words[word++]) return false;
    return here === end || lowBytes(view.getInt32(here, true), end - here) === words[word];
  }

  /** Keeps that after `node` the bytes `[from, to)` lead to `action`. Returns their node, or 0 where there is no room. */
  learn(node: number, view: DataView, from: number, to: number, action: number): number {
    const length = to - from;
    if (length > MAX_BYTES || length === 0) return 0;
    const hash = hashBytes(view, from, to) + action * 2 ** 32;
    let known = this.#nodeOfHash.get(hash);
    if (known === undefined) {
      const wordCount = (length + 3) >> 2;
      if (this.#count === MAX_NODES || this.#wordCount + wordCount > this.#words.length) return 0;
      known = this.#count++;
      this.#nodeOfHash.set(hash, known);
      this.length[known] = length;
      this.action[known] = action;
      this.#wordFrom[known] = this.#wordCount;
      for (let at = from; at < to; at += 4) {
        const word = view.getInt32(at, true);
        this.#words[this.#wordCount++] = at + 4 <= to ? word : lowBytes(word, to - at);
      }
    } else if (this.length[known] !== length || !this.#stands(known, view, from)) return 0;
    const choices = this.#next.subarray(node * CHOICES, (node + 1) * CHOICES);
    if (!choices.includes(known)) {
      choices.copyWithin(1, 0);
      choices[0] = known;
    }
    return known;
  }
}
