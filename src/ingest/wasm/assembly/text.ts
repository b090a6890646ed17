import { EXPECTED, EXPECTED_SLOTS, MASKS } from './layout';

/** Gives the id of a text that was never seen: its `StringId`, or −1 where the text is damaged. */
@external("host", "addText")
declare function addText(from: usize, length: usize): i32;
/** Gives the action of a key. */
@external("host", "actionOfKey")
declare function actionOfKey(from: usize, length: usize, inArgs: i32): i32;

/** What an entry stands for. The same bytes may be all of them. */
export const TEXT: u32 = 1;
export const EVENT_KEY: u32 = 2;
export const ARGS_KEY: u32 = 3;
/** A text that is a sound list or object: where one begins as these bytes, it ends with them. */
export const LIST: u32 = 4;

/** Of an entry: hash, length, address, value, kind. */
const HASH: usize = 0;
const LENGTH: usize = 4;
const ADDRESS: usize = 8;
const VALUE: usize = 12;
const KIND: usize = 16;
const ENTRY_BYTES: usize = 32;

let heapTop: usize = 0;
let slots: usize = 0;
let slotCount: u32 = 0;
let entryBlock: usize = 0;
let entryBlockLeft: u32 = 0;
let entryCount: u32 = 0;
let textBlock: usize = 0;
let textBlockEnd: usize = 0;

/** Bytes that nothing else uses, all 0. Never given back. 16 bytes behind them are readable. */
export function allocate(bytes: usize): usize {
  const at = (heapTop + 15) & ~15;
  heapTop = at + bytes;
  const missing = <i64>heapTop + 1024 - ((<i64>memory.size()) << 16);
  if (missing > 0) {
    const pages = <i32>((missing + 0xffff) >> 16);
    if (memory.grow(max(pages, 16)) < 0 && memory.grow(pages) < 0) unreachable();
  }
  return at;
}

export function startTexts(heap: usize): void {
  heapTop = heap;
  slotCount = 1 << 12;
  slots = allocate(slotCount * 4);
}

// @ts-ignore: decorator
@inline
export function maskOf(count: usize): v128 {
  return v128.load(MASKS + 16 - count);
}

/** Whether `[a, a + length)` and `[b, b + length)` are the same. */
// @ts-ignore: decorator
@inline
export function isSame(a: usize, b: usize, length: usize): bool {
  let left = length;
  while (left >= 16) {
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
    a += 16;
    b += 16;
    left -= 16;
  }
  return !v128.any_true(v128.and(v128.xor(v128.load(a), v128.load(b)), maskOf(left)));
}

/** The closing quote of the string whose first byte is at `from`. Perhaps behind the end. */
export function stringEnd(from: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  let at = from;
  while (true) {
    const bytes = v128.load(at);
    const marks = i8x16.bitmask(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)));
    if (marks == 0) {
      at += 16;
      continue;
    }
    at += ctz(marks);
    if (load<u8>(at) == 0x22) return at;
    at += 2;
  }
}

function hashOf(from: usize, length: usize, kind: u32): u32 {
  let hash: u64 = (<u64>length * 0x9e3779b97f4a7c15) ^ kind;
  let at = from;
  const last = from + length;
  while (at + 8 <= last) {
    hash = (hash ^ load<u64>(at)) * 0x9fb21c651e98df25;
    hash ^= hash >> 32;
    at += 8;
  }
  const rest = last - at;
  if (rest > 0) {
    hash = (hash ^ (load<u64>(at) & ((<u64>1 << (<u64>rest << 3)) - 1))) * 0x9fb21c651e98df25;
    hash ^= hash >> 32;
  }
  return <u32>(hash ^ (hash >> 15));
}

/** The entry of the bytes `[from, to)`, made where there is none. */
export function intern(from: usize, to: usize, kind: u32): usize {
  const length = to - from;
  const hash = hashOf(from, length, kind);
  const mask = slotCount - 1;
  let slot = hash & mask;
  while (true) {
    const entry = load<u32>(slots + (<usize>slot << 2));
    if (entry == 0) return add(from, length, hash, kind, slot);
    if (
      load<u32>(entry, HASH) == hash &&
      <usize>load<u32>(entry, LENGTH) == length &&
      load<u32>(entry, KIND) == kind &&
      isSame(load<u32>(entry, ADDRESS), from, length)
    ) {
      return entry;
    }
    slot = (slot + 1) & mask;
  }
}

function add(from: usize, length: usize, hash: u32, kind: u32, slot: u32): usize {
  if (entryBlockLeft == 0) {
    entryBlockLeft = 1024;
    entryBlock = allocate(<usize>entryBlockLeft * ENTRY_BYTES);
  }
  const entry = entryBlock;
  entryBlock += ENTRY_BYTES;
  entryBlockLeft--;
  const address = textSpace(length + 16);
  memory.copy(address, from, length);
  store<u32>(entry, hash, HASH);
  store<u32>(entry, length, LENGTH);
  store<u32>(entry, address, ADDRESS);
  store<u32>(entry, kind, KIND);
  store<u32>(slots + (<usize>slot << 2), entry);
  entryCount++;
  if (entryCount * 2 > slotCount) growSlots();
  const value = kind == TEXT || kind == LIST ? addText(from, length) : actionOfKey(from, length, <i32>(kind == ARGS_KEY));
  store<i32>(entry, value, VALUE);
  return entry;
}

function textSpace(bytes: usize): usize {
  if (textBlock + bytes > textBlockEnd) {
    const size = max<usize>(bytes, 1 << 16);
    textBlock = allocate(size);
    textBlockEnd = textBlock + size;
  }
  const at = textBlock;
  textBlock += bytes;
  return at;
}

function growSlots(): void {
  const oldSlots = slots;
  const oldCount = slotCount;
  slotCount = oldCount << 1;
  slots = allocate(slotCount * 4);
  const mask = slotCount - 1;
  for (let old: u32 = 0; old < oldCount; old++) {
    const entry = load<u32>(oldSlots + (<usize>old << 2));
    if (entry == 0) continue;
    let slot = load<u32>(entry, HASH) & mask;
    while (load<u32>(slots + (<usize>slot << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(slots + (<usize>slot << 2), entry);
  }
}

// @ts-ignore: decorator
@inline
export function valueOf(entry: usize): i32 {
  return load<i32>(entry, VALUE);
}

// @ts-ignore: decorator
@inline
export function lengthOf(entry: usize): usize {
  return load<u32>(entry, LENGTH);
}

/** The slot that keeps which text came when `a` and `b` (entries, say) came before it. */
// @ts-ignore: decorator
@inline
export function expectedAfter(a: usize, b: usize): usize {
  const hash = <u32>a * 0x9e3779b1 + <u32>b * 0x85ebca6b;
  return EXPECTED + <usize>((hash >> 16) & (EXPECTED_SLOTS - 1)) * 4;
}

/**
 * The entry that `slot` expects, if it is of `kind` and stands at `from`; else 0. Its bytes are compared, so that a wrong guess only costs.
 * A `TEXT`'s closing quote stands at `from + lengthOf(entry)`; a `LIST` ends with its own bracket.
 */
// @ts-ignore: decorator
@inline
export function expected(slot: usize, from: usize, kind: u32): usize {
  const entry: usize = load<u32>(slot);
  if (entry == 0 || load<u32>(entry, KIND) != kind) return 0;
  const length: usize = load<u32>(entry, LENGTH);
  if (kind == TEXT && load<u8>(from + length) != 0x22) return 0;
  return isSame(load<u32>(entry, ADDRESS), from, length) ? entry : 0;
}
