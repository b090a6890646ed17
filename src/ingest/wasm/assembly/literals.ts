/**
 * Learns the constant bytes between two values (`,\n    "args": {\n      "External id": `) and what follows what, so that they are
 * compared 16 at a time instead of being taken apart. A literal may close the args, close the row, open the next row and its args.
 * A shortcut is a value that comes often together with the literal behind it. Every accepted byte is compared: any layout stays right.
 */
import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE, skipSpace } from './bytes';
import { NODE_HASHES, NODE_HASH_SLOTS, NODES, NODES_END } from './layout';
import { ARGS_KEY, EVENT_KEY, intern, maskOf, stringEnd, valueOf } from './text';

/** Parts of a node: the nodes that may follow, likeliest first; the shortcuts that may; … */
export const NEXT: usize = 0;
export const SHORTCUT: usize = 16;
/** What is left to try shortcuts with: each one learned costs, each one taken pays. Negative: no more. */
export const CREDIT: usize = 32;
export const LENGTH: usize = 36;
export const ACTION: usize = 40;
export const FLAGS: usize = 44;
/** Behind the `}` that closes the row, from the literal's begin; and the `{` that opens the next. */
export const CLOSE_AT: usize = 48;
export const OPEN_AT: usize = 52;
/** Of a shortcut: the node of its literal, and what its value means. */
export const TARGET: usize = 56;
export const MEANING: usize = 60;
/** What tells nodes of the same bytes apart. */
const CONTEXT: usize = 64;
/** Where the last 16 bytes begin; 0 in a literal that is no longer than that. Then `MASK` is of its bytes, else of all 16. */
const TAIL: usize = 68;
const MASK: usize = 80;
export const BYTES: usize = 96;

/** Flags: what the literal does, in this order. */
export const OPENS_ARGS_BEFORE_CLOSE: u32 = 1;
export const CLOSES_ROW: u32 = 2;
export const OPENS_ROW: u32 = 4;
export const OPENS_ARGS: u32 = 8;
/** The value behind it lies in the args. */
export const IN_ARGS: u32 = 16;
/** Its last byte is the quote that opens the value. */
export const OPENS_STRING: u32 = 32;
/** Nothing is known of what comes behind the row. */
export const IS_END: u32 = 64;
export const EFFECTS: u32 = OPENS_ARGS_BEFORE_CLOSE | CLOSES_ROW | OPENS_ROW | OPENS_ARGS;

/** Actions: what to do with the value behind a literal. The same numbers as the host's. */
export const UNKNOWN: i32 = 2;
export const ARGS: i32 = 3;
export const PH: i32 = 4;
export const CAT: i32 = 5;
export const NAME_KEY: i32 = 6;
export const PID: i32 = 7;
export const TID: i32 = 8;
export const TS: i32 = 9;
export const DUR: i32 = 10;
export const ID: i32 = 11;
export const FIRST_FIELD: i32 = 16;

const CHOICES: usize = 4;
const MAX_BYTES: usize = 240;
const FIRST_CREDIT: i32 = 32;
const LEARNING_COSTS: i32 = 4;
const MAX_CREDIT: i32 = (1 << 30) - 1;

/** Nodes that stand for no literal: what was not learned; behind the `{` of a row; behind a category. They only have `NEXT`. */
const SCRATCH: usize = NODES;
export const ROW_OPEN: usize = NODES + BYTES;
export const AFTER_CATEGORY: usize = ROW_OPEN + BYTES;
export const CONTEXTS: u32 = 64;
let used: usize = AFTER_CATEGORY + <usize>CONTEXTS * BYTES;

/** Whether the node's bytes are those at `at`. Most are no longer than 32 bytes: those are compared without a branch. */
// @ts-ignore: decorator
@inline
export function stands(node: usize, at: usize): bool {
  const tail: usize = load<u32>(node, TAIL);
  const others = v128.or(
    v128.xor(v128.load(node, BYTES), v128.load(at)),
    v128.xor(v128.load(node + tail, BYTES), v128.load(at + tail)),
  );
  if (v128.any_true(v128.and(others, v128.load(node, MASK)))) return false;
  for (let middle: usize = 16; middle < tail; middle += 16) {
    if (v128.any_true(v128.xor(v128.load(node + middle, BYTES), v128.load(at + middle)))) return false;
  }
  return true;
}

/** Which of the other choices in `list` stands at `at`, or 0. It moves one place up. */
export function choose(list: usize, at: usize): usize {
  for (let choice: usize = 4; choice < CHOICES * 4; choice += 4) {
    const node: usize = load<u32>(list + choice);
    if (node == 0) return 0;
    if (!stands(node, at)) continue;
    store<u32>(list + choice, load<u32>(list + choice - 4));
    store<u32>(list + choice - 4, <u32>node);
    return node;
  }
  return 0;
}

function prepend(list: usize, node: usize): void {
  for (let choice: usize = 0; choice < CHOICES * 4; choice += 4) if (<usize>load<u32>(list + choice) == node) return;
  memory.copy(list + 4, list, CHOICES * 4 - 4);
  store<u32>(list, <u32>node);
}

// @ts-ignore: decorator
@inline
export function pay(node: usize): void {
  store<i32>(node, (load<i32>(node, CREDIT) + 1) & MAX_CREDIT, CREDIT);
}

/** What `take` found. */
let action: i32 = 0;
let flags: u32 = 0;
let closeAt: usize = 0;
let openAt: usize = 0;

/**
 * Takes apart what stands from `at`, behind a value (or behind the `{` of a row), up to the next value; keeps it as a node behind
 * `node`. 0 where that is not all there before `end`, or is no JSON. `context` tells nodes of the same bytes apart.
 */
export function learn(node: usize, at: usize, end: usize, context: u32): usize {
  const inArgs = (load<u32>(node, FLAGS) & IN_ARGS) != 0;
  const isFirst = node == ROW_OPEN;
  const to = take(at, end, inArgs, isFirst);
  if (to == 0) return 0;
  const length = to - at;
  const key = (context << 2) | (<u32>inArgs << 1) | <u32>isFirst;
  const isKept = length <= MAX_BYTES && (flags & IS_END) == 0;
  if (!isKept) return fill(SCRATCH, length);
  const known = find(at, length, key);
  if (known == 0) return fill(SCRATCH, length);
  if (node != SCRATCH) prepend(node + NEXT, known);
  return known;
}

function take(from: usize, end: usize, inArgs: bool, isFirst: bool): usize {
  flags = 0;
  closeAt = 0;
  openAt = 0;
  const to = takeAll(from, end, inArgs, isFirst);
  if (to != 0 || (flags & CLOSES_ROW) == 0) return to;
  // The row is over; what comes behind it is not all there, or is something else.
  flags = (flags & OPENS_ARGS_BEFORE_CLOSE) | CLOSES_ROW | IS_END;
  action = UNKNOWN;
  return from + closeAt;
}

function takeAll(from: usize, end: usize, inArgs: bool, isFirst: bool): usize {
  let at = from;
  while (true) {
    at = skipSpace(at);
    if (at >= end) return 0;
    if (load<u8>(at) == CLOSE_OBJECT) {
      at++;
      isFirst = false;
      if (inArgs) {
        inArgs = false;
        continue;
      }
      // One row at most: the literal ends before a second one that is empty.
      if ((flags & CLOSES_ROW) != 0) return 0;
      if ((flags & OPENS_ARGS) != 0) flags = (flags ^ OPENS_ARGS) | OPENS_ARGS_BEFORE_CLOSE;
      flags |= CLOSES_ROW;
      closeAt = at - from;
      at = skipSpace(at);
      if (at >= end || load<u8>(at) != COMMA) return 0;
      at = skipSpace(at + 1);
      if (at >= end || load<u8>(at) != OPEN_OBJECT) return 0;
      openAt = at - from;
      flags |= OPENS_ROW;
      isFirst = true;
      at++;
      continue;
    }
    if (!isFirst) {
      if (load<u8>(at) != COMMA) return 0;
      at = skipSpace(at + 1);
      if (at >= end) return 0;
    }
    if (load<u8>(at) != QUOTE) return 0;
    at = takeKey(at, end, inArgs);
    if (at == 0) return 0;
    const first = load<u8>(at);
    if (action == ARGS) {
      if (first != OPEN_OBJECT || (flags & OPENS_ARGS) != 0) return 0;
      flags |= OPENS_ARGS;
      inArgs = true;
      isFirst = true;
      at++;
      continue;
    }
    if (inArgs) flags |= IN_ARGS;
    if (first != QUOTE) return at;
    flags |= OPENS_STRING;
    return at + 1;
  }
}

/** From the quote of a key to the first byte of its value; sets `action`. 0 where that is no key, or not all there. */
function takeKey(at: usize, end: usize, inArgs: bool): usize {
  const close = stringEnd(at + 1);
  if (close >= end) return 0;
  action = valueOf(intern(at + 1, close, inArgs ? ARGS_KEY : EVENT_KEY));
  const colon = skipSpace(close + 1);
  if (colon >= end || load<u8>(colon) != COLON) return 0;
  const value = skipSpace(colon + 1);
  return value >= end ? 0 : value;
}

function fill(node: usize, length: usize): usize {
  store<u32>(node, <u32>length, LENGTH);
  store<i32>(node, action, ACTION);
  store<u32>(node, flags, FLAGS);
  store<u32>(node, <u32>closeAt, CLOSE_AT);
  store<u32>(node, <u32>openAt, OPEN_AT);
  return node;
}

function find(at: usize, length: usize, context: u32): usize {
  let hash: u32 = (context + 1) * 0x9e3779b1 + <u32>length;
  for (let here = at; here + 4 <= at + length; here += 4) {
    hash = (hash ^ load<u32>(here)) * 0x85ebca6b;
    hash ^= hash >> 15;
  }
  for (let probe: u32 = 0; probe < 8; probe++) {
    const slot = NODE_HASHES + (((hash + probe) & (NODE_HASH_SLOTS - 1)) << 2);
    const known: usize = load<u32>(slot);
    if (known == 0) {
      const node = add(at, length);
      if (node == 0) return 0;
      store<u32>(node, context, CONTEXT);
      store<u32>(slot, <u32>node);
      return fill(node, length);
    }
    if (load<u32>(known, CONTEXT) == context && <usize>load<u32>(known, LENGTH) == length && stands(known, at)) return known;
  }
  return 0;
}

function add(at: usize, length: usize): usize {
  const node = used;
  const bytes = BYTES + ((length + 15) & ~15);
  if (node + bytes > NODES_END) return 0;
  used += bytes;
  memory.copy(node + BYTES, at, length);
  store<i32>(node, FIRST_CREDIT, CREDIT);
  store<u32>(node, <u32>length, LENGTH);
  store<u32>(node, length > 16 ? <u32>length - 16 : 0, TAIL);
  v128.store(node, maskOf(min(length, 16)), MASK);
  return node;
}

/** Keeps that after `node` a value that means `meaning` and the literal of `target` together are the bytes `[from, to)`. */
export function learnShortcut(node: usize, target: usize, from: usize, to: usize, meaning: i32): void {
  if (node == SCRATCH || target == SCRATCH) return;
  const credit = load<i32>(node, CREDIT) - LEARNING_COSTS;
  store<i32>(node, credit, CREDIT);
  if (credit < 0) {
    // Its values are too many: trying would cost more than it saves.
    memory.fill(node + SHORTCUT, 0, CHOICES * 4);
    return;
  }
  const length = to - from;
  if (length > MAX_BYTES) return;
  const shortcut = add(from, length);
  if (shortcut == 0) return;
  const before = <u32>length - load<u32>(target, LENGTH);
  store<i32>(shortcut, load<i32>(target, ACTION), ACTION);
  store<u32>(shortcut, load<u32>(target, FLAGS), FLAGS);
  store<u32>(shortcut, load<u32>(target, CLOSE_AT) + before, CLOSE_AT);
  store<u32>(shortcut, load<u32>(target, OPEN_AT) + before, OPEN_AT);
  store<u32>(shortcut, <u32>target, TARGET);
  store<i32>(shortcut, meaning, MEANING);
  prepend(node + SHORTCUT, shortcut);
}
