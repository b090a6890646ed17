/**
 * Reads rows of a trace into columns. What it reads, it reads as the host's scanner does; all that is damaged, rare or cut off it leaves
 * to the host: `read` then returns where that row begins, as if it had not looked at it.
 */
import { BACKSLASH, COMMA, MINUS, OPEN_ARRAY, OPEN_OBJECT, QUOTE, skipSpace, SPACE, ZERO } from './bytes';
import {
  CAPACITY,
  CATEGORIES,
  CATEGORY,
  CORRELATION,
  DURATION,
  HEAP,
  LAST_NAMES,
  LAST_TEXTS,
  NAME,
  NANOS,
  OFFSET,
  PHASE,
  PHASE_COUNT,
  PHASE_OF_LETTER,
  POSITION,
  SIDES,
  SIDE_CELLS,
  SIDE_COUNT,
  SIDE_TABLES,
  SIDE_TABLE_BYTES,
  START,
  TRACK,
  TRACKS,
  TRACK_SLOTS,
  VALUES,
  WIDEST,
} from './layout';
import * as lit from './literals';
import { integer, nanos, readInteger, readTime, rest, seconds } from './numbers';
import { skipNested, skipValue, wordEnd } from './skip';
import { allocate, expected, expectedAfter, intern, lengthOf, LIST, startTexts, stringEnd, TEXT, valueOf } from './text';

/** What the host knows of a category's text: its number in the low 16 bits, then the number of its side table; −1: leave its rows out. */
@external("host", "categoryOf")
declare function categoryOf(text: i32): i32;
@external("host", "trackOf")
declare function trackOf(pid: i32, tid: i32): i32;
/** The id of the empty text. */
@external("host", "emptyText")
declare function emptyText(): i32;
/** The number that bytes spell, or NaN where that needs the host. */
@external("host", "parseNumber")
declare function parseNumber(from: usize, length: usize, isQuantity: i32): f64;

/** Of `PHASE_OF_LETTER`: such rows are the host's. */
const TO_HOST: u8 = 255;
const COMPLETE: u8 = 0;
/** Later phases do not make the span of a trace. */
const LAST_SPAN: u8 = 2;
const FIRST_LINK: u8 = 4;
const LAST_LINK: u8 = 9;

const NONE: i32 = -1;
const FIRST_TEXT_FIELD: i32 = 21;
const CORRELATION_FIELD: u32 = 0;
const STREAM_FIELD: usize = 7;
const BYTES_FIELD: i32 = 8;
const BANDWIDTH_FIELD: i32 = 9;
const WAIT_ON_STREAM_FIELD: usize = 12;
const SYNC_TABLE: i32 = 5;
const COLLECTIVE_TABLE: i32 = 7;
/** Early writers' unsigned −1. */
const UNKNOWN_STREAM: f64 = 4294967295;
/** Seven days: no row is longer. */
const LONGEST_NS: f64 = 604800e9;
const MAX_ROW: usize = 64 << 20;

/** The host sets these before `read`, and reads them behind it. */
export let rowCount: u32 = 0;
export let position: u32 = 0;
export let comma: bool = true;
export let firstEvent: u32 = 0;
export let collectiveFields: u32 = 0;
export let skipped: u32 = 0;
/** What is known of the batch's timing, as the host's `TimingSurvey`. */
export let suspects: u32 = 0;
export let lowest: f64 = Infinity;
export let highest: f64 = -Infinity;
export let firstSeconds: f64 = Infinity;
export let firstNanos: i32 = 0;
let baseOffset: f64 = 0;

/** The row at hand. */
let rowFrom: usize = 0;
let phase: u8 = 0;
let name: i32 = NONE;
/** The entry of the name, or 0. */
let nameEntry: usize = 0;
let category: i32 = NONE;
let pid: i32 = NONE;
let tid: i32 = NONE;
let hasStart: bool = false;
let startSeconds: f64 = 0;
let startNanos: i32 = 0;
let startRest: i32 = 0;
let duration: f64 = NaN;
let durationRest: i32 = 0;
let id: f64 = NaN;
let present: u32 = 0;

let context: u32 = 0;
let empty: i32 = NONE;

export function start(): void {
  startTexts(HEAP);
  for (let table = 0; table < 8; table++) {
    store<u32>(SIDE_CELLS + (<usize>table << 2), <u32>(SIDES + <usize>table * WIDEST * 8 * CAPACITY));
  }
}

/** Room for the input that nothing else uses. */
export function room(bytes: u32): u32 {
  return <u32>allocate(bytes);
}

function clearRow(from: usize): void {
  rowFrom = from;
  phase = 0;
  name = NONE;
  nameEntry = 0;
  category = NONE;
  pid = NONE;
  tid = NONE;
  hasStart = false;
  duration = NaN;
  startRest = 0;
  durationRest = 0;
  id = NaN;
  present = 0;
}

// @ts-ignore: decorator
@inline
function orEmpty(text: i32): i32 {
  if (text != NONE) return text;
  if (empty == NONE) empty = emptyText();
  return empty;
}

function findTrack(): i32 {
  const slot = TRACKS + (<usize>((<u32>pid * 31 + <u32>tid) & (TRACK_SLOTS - 1)) << 4);
  if (load<i32>(slot) == pid && load<i32>(slot, 4) == tid && load<i32>(slot, 12) != 0) return load<i32>(slot, 8);
  const track = trackOf(pid, tid);
  store<i32>(slot, pid);
  store<i32>(slot, tid, 4);
  store<i32>(slot, track, 8);
  store<i32>(slot, 1, 12);
  return track;
}

function findCategory(): i32 {
  const slot = CATEGORIES + (<usize>(category & 255) << 3);
  if (load<i32>(slot) == category + 1) return load<i32>(slot, 4);
  const answer = categoryOf(category);
  store<i32>(slot, category + 1);
  store<i32>(slot, answer, 4);
  return answer;
}

/** Puts the row into the columns. False where it is the host's. */
function emit(): bool {
  const kind = load<u8>(PHASE_OF_LETTER + phase);
  if (kind == TO_HOST) return false;
  pid = orEmpty(pid);
  tid = orEmpty(tid);
  const track = findTrack();
  category = orEmpty(category);
  const answer = findCategory();
  const count = PHASE_COUNT + (<usize>phase << 2);
  store<u32>(count, load<u32>(count) + 1);
  if (answer == NONE) {
    skipped++;
    position++;
    return true;
  }
  const row: usize = rowCount;
  const table = answer >> 16;
  if (table != 0) emitSide(table);
  if ((present & collectiveFields) != 0) emitSide(COLLECTIVE_TABLE);
  store<i32>(NAME + (row << 2), orEmpty(name));
  store<u16>(CATEGORY + (row << 1), <u16>answer);
  store<u8>(PHASE + row, kind);
  store<i32>(TRACK + (row << 2), track);
  store<f64>(START + (row << 3), hasStart ? startSeconds : NaN);
  store<i32>(NANOS + (row << 2), startNanos);
  let length: f64 = NaN;
  if (kind == COMPLETE) {
    // The end is rounded once: what rounding start and length cut off may add up to one more.
    const cut = startRest + durationRest;
    length = duration + <f64>(<i32>(cut >= 500) - <i32>(cut < -500));
  }
  store<f64>(DURATION + (row << 3), length);
  if (!hasStart || (kind == COMPLETE && !(length >= 0 && length <= LONGEST_NS))) suspects++;
  if (hasStart) surveyStart(kind);
  let link: f64 = -1;
  if (kind >= FIRST_LINK && kind <= LAST_LINK) {
    if (id == id) link = id;
  } else if ((present & (1 << CORRELATION_FIELD)) != 0) link = load<f64>(VALUES);
  store<f64>(CORRELATION + (row << 3), link);
  store<u32>(POSITION + (row << 2), position);
  store<f64>(OFFSET + (row << 3), baseOffset + <f64>rowFrom);
  rowCount = <u32>row + 1;
  position++;
  return true;
}

// @ts-ignore: decorator
@inline
function surveyStart(kind: u8): void {
  if (startSeconds < lowest) lowest = startSeconds;
  if (startSeconds > highest) highest = startSeconds;
  if (kind > LAST_SPAN || startSeconds > firstSeconds) return;
  if (startSeconds == firstSeconds && startNanos >= firstNanos) return;
  firstSeconds = startSeconds;
  firstNanos = startNanos;
}

function emitSide(table: i32): void {
  if (table == SYNC_TABLE) {
    if (load<f64>(VALUES + (STREAM_FIELD << 3)) == UNKNOWN_STREAM) store<f64>(VALUES + (STREAM_FIELD << 3), -1);
    const waited = VALUES + (WAIT_ON_STREAM_FIELD << 3);
    if (load<f64>(waited) == UNKNOWN_STREAM) store<f64>(waited, -1);
  }
  let column: usize = SIDE_TABLES + <usize>table * SIDE_TABLE_BYTES;
  const columns: usize = load<i32>(column);
  const counter = SIDE_COUNT + (<usize>table << 2);
  const row: usize = load<u32>(counter);
  store<u32>(counter, <u32>row + 1);
  let cell: usize = <usize>load<u32>(SIDE_CELLS + (<usize>table << 2)) + row * ((columns + 1) << 3);
  store<f64>(cell, <f64>(firstEvent + rowCount));
  column += 8;
  const last = column + (columns << 4);
  for (; column < last; column += 16) {
    cell += 8;
    const field: u32 = load<u32>(column);
    const value = (present & (1 << field)) != 0 ? VALUES + (<usize>field << 3) : column + 8;
    store<f64>(cell, load<f64>(value));
  }
}

// @ts-ignore: decorator
@inline
function setField(field: i32, value: f64): void {
  store<f64>(VALUES + (<usize>field << 3), value);
  present |= 1 << field;
}

function setText(action: i32, text: i32): void {
  switch (action) {
    case lit.CAT:
      category = text;
      context = text & (lit.CONTEXTS - 1);
      break;
    case lit.NAME_KEY:
      name = text;
      break;
    case lit.PID:
      pid = text;
      break;
    case lit.TID:
      tid = text;
      break;
    default:
      setField(action - lit.FIRST_FIELD, <f64>text);
  }
}

/** What the value just read for `action` means as a whole number of 32 bits, or `NO_MEANING`. */
const NO_MEANING: i32 = i32.MIN_VALUE;
let meaning: i32 = NO_MEANING;

/** Reads the value at `at` into the row. Behind it, or 0 where it is the host's. Sets `meaning`. */
function readValue(action: i32, at: usize, end: usize, isString: bool): usize {
  meaning = NO_MEANING;
  if (action == lit.UNKNOWN) {
    meaning = 0;
    return skipValue(at, end, isString);
  }
  if (action == lit.NAME_KEY) return isString ? readName(at, end) : 0;
  if (action == lit.TS || action == lit.DUR) return isString ? 0 : readWhen(action, at, end);
  if (action == lit.PH) {
    if (!isString || load<u8>(at, 1) != QUOTE || at + 1 >= end) return 0;
    phase = load<u8>(at);
    if (phase == QUOTE || phase == BACKSLASH) return 0;
    meaning = phase;
    return at + 2;
  }
  if (action == lit.ID || (action >= lit.FIRST_FIELD && action < lit.FIRST_FIELD + FIRST_TEXT_FIELD)) {
    const behind = readNumber(action, at, end, isString);
    if (behind == 0) return 0;
    if (action == lit.ID) id = integer;
    else {
      setField(action - lit.FIRST_FIELD, integer);
      if (<f64>(<i32>integer) == integer) meaning = <i32>integer;
    }
    return behind;
  }
  return readText(action, at, end, isString);
}

function readName(at: usize, end: usize): usize {
  const lastNames = LAST_NAMES + (<usize>context << 3);
  const last: usize = load<u32>(lastNames);
  const slot = expectedAfter(last, load<u32>(lastNames, 4));
  let entry = expected(slot, at, TEXT);
  if (entry == 0) {
    const close = stringEnd(at);
    if (close >= end) return 0;
    entry = intern(at, close, TEXT);
    store<u32>(slot, <u32>entry);
  }
  const close = at + lengthOf(entry);
  name = valueOf(entry);
  if (close >= end || name == NONE) return 0;
  store<u32>(lastNames, <u32>last, 4);
  store<u32>(lastNames, <u32>entry);
  nameEntry = entry;
  return close + 1;
}

function readText(action: i32, at: usize, end: usize, isString: bool): usize {
  const first = load<u8>(at);
  const isList = !isString && (first == OPEN_ARRAY || first == OPEN_OBJECT);
  const kind = isList ? LIST : TEXT;
  const lastText = LAST_TEXTS + (<usize>action << 2);
  const slot = expectedAfter(nameEntry, load<u32>(lastText) + action);
  // What is neither a string nor a list has no end of its own: `12` stands in `123`, too.
  let entry: usize = isString || isList ? expected(slot, at, kind) : 0;
  if (entry == 0) {
    const to = textEnd(action, at, end, isString, isList);
    if (to == 0 || to >= end) return 0;
    entry = intern(at, to, kind);
    store<u32>(slot, <u32>entry);
  }
  store<u32>(lastText, <u32>entry);
  const to = at + lengthOf(entry);
  const text = valueOf(entry);
  if (to >= end || text == NONE) return 0;
  setText(action, text);
  meaning = text;
  return isString ? to + 1 : to;
}

/** Behind the last byte of a text, or 0 where it is the host's. A number or a list stands for its bytes; not all keys take one. */
function textEnd(action: i32, at: usize, end: usize, isString: bool, isList: bool): usize {
  if (isString) return stringEnd(at);
  if (action == lit.CAT) return 0;
  if (isList) return action >= lit.FIRST_FIELD ? skipNested(at, end) : 0;
  const first = load<u8>(at);
  return <u32>first - ZERO <= 9 || first == MINUS ? wordEnd(at) : 0;
}

function readNumber(action: i32, at: usize, end: usize, isString: bool): usize {
  const behind = readInteger(at, end, isString);
  if (behind != 0 || isString) return behind;
  const first = load<u8>(at);
  if (<u32>first - ZERO > 9 && first != MINUS) return 0;
  const to = wordEnd(at);
  if (to >= end) return 0;
  const field = action - lit.FIRST_FIELD;
  integer = parseNumber(at, to - at, <i32>(field == BYTES_FIELD || field == BANDWIDTH_FIELD));
  return integer == integer ? to : 0;
}

function readWhen(action: i32, at: usize, end: usize): usize {
  const behind = readTime(at, end);
  if (behind == 0) return 0;
  if (action == lit.TS) {
    hasStart = true;
    startSeconds = seconds;
    startNanos = nanos;
    startRest = rest;
  } else {
    duration = seconds * 1e9 + <f64>nanos;
    durationRest = rest;
  }
  return behind;
}

/** Values of these keys hardly ever come twice, or are too many. */
// @ts-ignore: decorator
@inline
function canShorten(action: i32): bool {
  return action <= lit.TID ? action != lit.NAME_KEY : action > lit.FIRST_FIELD + 1;
}

/**
 * Reads rows from `at`, which is before a row or the comma before it, as long as they end before `end` and the batch has room. Returns
 * where the host goes on: `comma` and `position` say in what state. `base`: the offset in the file of address 0.
 */
export function read(from: usize, end: usize, base: f64): usize {
  baseOffset = base;
  let at = skipSpace(from);
  if (at >= end || rowCount == CAPACITY) return at;
  if (!comma) {
    if (load<u8>(at) != COMMA) return at;
    at = skipSpace(at + 1);
    comma = true;
    if (at >= end) return at;
  }
  if (load<u8>(at) != OPEN_OBJECT) return at;
  clearRow(at);
  at++;
  let node = lit.ROW_OPEN;
  /** Where the last value begins and the node before it; 0 where there is none that a shortcut could learn. */
  let valueFrom: usize = 0;
  let valueNode: usize = 0;
  let valueMeaning: i32 = 0;
  while (true) {
    // What stands between two values: known, or taken apart and learned.
    let next: usize = load<u32>(node, lit.NEXT);
    if (next == 0 || !lit.stands(next, at)) {
      next = lit.choose(node + lit.NEXT, at);
    }
    // What ends with the input may be cut off.
    if (next == 0 || at + load<u32>(next, lit.LENGTH) >= end) {
      next = lit.learn(node, at, end, context);
      if (next == 0) return rowFrom;
    }
    let literalFrom = at;
    at += load<u32>(next, lit.LENGTH);
    if (valueNode != 0) lit.learnShortcut(valueNode, next, valueFrom, at, valueMeaning);
    valueNode = 0;
    node = next;
    let step = next;
    while (true) {
      const flags = load<u32>(step, lit.FLAGS);
      if ((flags & lit.EFFECTS) != 0) {
        if ((flags & lit.OPENS_ARGS_BEFORE_CLOSE) != 0) present = 0;
        if ((flags & lit.CLOSES_ROW) != 0) {
          const closed = literalFrom + load<u32>(step, lit.CLOSE_AT);
          if (closed - rowFrom > MAX_ROW || !emit()) return rowFrom;
          if ((flags & lit.IS_END) != 0 || rowCount == CAPACITY) {
            comma = false;
            return closed;
          }
          clearRow(literalFrom + load<u32>(step, lit.OPEN_AT));
        }
        if ((flags & lit.OPENS_ARGS) != 0) present = 0;
      }
      const action = load<i32>(step, lit.ACTION);
      let isString = (flags & lit.OPENS_STRING) != 0;
      let shortcut: usize = load<u32>(node, lit.SHORTCUT);
      let isUsual = true;
      if (!isString) {
        if (load<u8>(at) <= SPACE) at = skipSpace(at);
        if (load<u8>(at) == QUOTE) {
          // A text where space made the literal end early: its shortcuts are for what is no text.
          isString = true;
          isUsual = false;
          shortcut = 0;
          at++;
        }
      }
      if (at >= end) return rowFrom;
      if (shortcut != 0 && !lit.stands(shortcut, at)) shortcut = lit.choose(node + lit.SHORTCUT, at);
      if (shortcut == 0 || at + load<u32>(shortcut, lit.LENGTH) >= end) {
        const begin = at;
        at = readValue(action, at, end, isString);
        if (at == 0) return rowFrom;
        if (isUsual && meaning != NO_MEANING && canShorten(action) && load<i32>(node, lit.CREDIT) > 0) {
          valueNode = node;
          valueFrom = begin;
          valueMeaning = meaning;
        }
        if (action == lit.CAT) node = lit.AFTER_CATEGORY + <usize>context * lit.BYTES;
        break;
      }
      lit.pay(node);
      if (action != lit.UNKNOWN) {
        const means = load<i32>(shortcut, lit.MEANING);
        if (action == lit.PH) phase = <u8>means;
        else if (action >= lit.FIRST_FIELD) setField(action - lit.FIRST_FIELD, <f64>means);
        else setText(action, means);
      }
      literalFrom = at;
      at += load<u32>(shortcut, lit.LENGTH);
      step = shortcut;
      node = load<u32>(shortcut, lit.TARGET);
    }
  }
}
