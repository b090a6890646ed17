/** The members of one row, by their bytes: what is not touched is copied as it was written. */

export interface Member {
  /** `[start, end)` of the value. */
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const COMMA = 0x2c;

/** The top-level members of the object that `[from, to)` holds, brackets included. Of a key that is there twice the last counts. */
export function membersOf(bytes: Uint8Array, from = 0, to = bytes.length): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  let at = from + 1;
  while (at < to - 1) {
    const keyStart = bytes.indexOf(QUOTE, at);
    if (keyStart === -1 || keyStart >= to) break;
    const keyEnd = stringEnd(bytes, keyStart + 1, to);
    const colon = bytes.indexOf(COLON, keyEnd);
    if (colon === -1 || colon >= to) break;
    let start = colon + 1;
    while (start < to && (bytes[start] as number) <= SPACE) start++;
    const next = valueEnd(bytes, start, to - 1);
    let end = next;
    while (end > start && (bytes[end - 1] as number) <= SPACE) end--;
    members.set(textOf(bytes, keyStart + 1, keyEnd), { start, end });
    at = next + 1;
  }
  return members;
}

/** The value as it is written, quotes included. */
export const textOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');

/** Where the quote that ends a string stands. */
function stringEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The comma behind the value, or `to`. */
function valueEnd(bytes: Uint8Array, from: number, to: number): number {
  let depth = 0;
  let at = from;
  while (at < to) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1, to);
    // `{` and `[` differ by 0x20 from each other, and by 2 from what closes them.
    else if ((byte | 0x20) === 0x7b) depth++;
    else if ((byte | 0x20) === 0x7d) depth--;
    else if (byte === COMMA && depth === 0) return at;
    at++;
  }
  return to;
}

const encoder = new TextEncoder();

/** The row with `"critical": 1` among its args; nothing else of it changes. */
export function markCritical(row: Uint8Array): Uint8Array {
  const args = membersOf(row).get('args');
  if (args === undefined) {
    return insert(
      row,
      row.length - 1,
      row.length - 1,
      `${isEmpty(row, 0, row.length) ? '' : ', '}"args": {"critical": 1}`,
    );
  }
  if (row[args.start] !== 0x7b) return insert(row, args.start, args.end, '{"critical": 1}');
  const known = membersOf(row, args.start, args.end).get('critical');
  if (known !== undefined) return insert(row, known.start, known.end, '1');
  const comma = isEmpty(row, args.start, args.end) ? '' : ', ';
  return insert(row, args.end - 1, args.end - 1, `${comma}"critical": 1`);
}

const isEmpty = (bytes: Uint8Array, start: number, end: number): boolean => membersOf(bytes, start, end).size === 0;

function insert(row: Uint8Array, from: number, to: number, text: string): Uint8Array {
  const added = encoder.encode(text);
  const edited = new Uint8Array(row.length - (to - from) + added.length);
  edited.set(row.subarray(0, from));
  edited.set(added, from);
  edited.set(row.subarray(to), from + added.length);
  return edited;
}
