/** One value → words for people. Rounding happens here and nowhere else; the engine and JSON hold exact numbers. */

const DUR_UNITS = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
] as const;

/** Nanoseconds as `78.9 ms`, `1.234 ms`, `12.3 µs`, `120 ns`: three or four digits, exact below a microsecond. */
export function formatDur(ns: number): string {
  const size = Math.abs(ns);
  for (const [at, { unit, ns: one }] of DUR_UNITS.entries()) {
    // What rounds up to 1,000 of a unit is written as 1 of the next: 999,960 ns is 1.000 ms.
    const isLast = at === DUR_UNITS.length - 1;
    if (size < (isLast ? one : one - one / 20_000)) continue;
    const value = ns / one;
    return `${value.toFixed(Math.abs(value) < 9.9995 ? 3 : 1)} ${unit}`;
  }
  return `${ns} ns`;
}

/** An instant as `43312.345 ms` since the trace's origin: the form that `--range` takes, to the microsecond. */
export const formatInstant = (ns: number): string => `${(ns / 1e6).toFixed(3)} ms`;

/** A share of 0…1 as `61.3 %`; what is not nothing, and what is not everything, never reads as such. */
export function formatShare(share: number, digits = 1): string {
  const least = 10 ** -digits;
  const percent = share * 100;
  if (percent > 0 && percent < least / 2) return `<${least} %`;
  if (percent < 100 && percent >= 100 - least / 2) return `>${(100 - least).toFixed(digits)} %`;
  return percent === 0 || percent === 100 ? `${percent} %` : `${percent.toFixed(digits)} %`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Bytes as `512 B`, `54.2 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1023.95 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** A whole number as `109,123`. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 kernel`, `1,200 kernels`. */
export const formatPlural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A bar of `width` columns for a share of 0…1, in eighths; what is not nothing shows at least the thinnest. */
export function formatBar(share: number, width: number): string {
  const eighths = Math.round(Math.min(Math.max(share, 0), 1) * width * 8);
  const drawn = share > 0 && eighths === 0 ? 1 : eighths;
  const rest = drawn % 8;
  return '█'.repeat(drawn >> 3) + (rest === 0 ? '' : String.fromCodePoint(0x2590 - rest));
}

/**
 * What must not reach a terminal from a trace: control characters (the escape of colour and cursor sequences is one), line and
 * paragraph separators, marks that turn the direction of writing or join in secret, and halves of surrogate pairs.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udc7f]/g;

/** Text from a trace or a path, made safe to print: what could steer a terminal becomes a visible escape such as `\x1b` or `\u202e`. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, (found) => {
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[found];
    if (named !== undefined) return named;
    const code = found.codePointAt(0) ?? 0;
    if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /\p{Mn}|\p{Me}/u;

/** How many columns of a terminal a text takes: ideographs and pictographs two, combining marks none. */
export function textWidth(text: string): number {
  if (/^[\u0020-\u02ff]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += COMBINING.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}

/** The text in at most `width` columns: a longer one loses its middle, since names differ at both ends. */
export function fitText(text: string, width: number): string {
  // A name may have megabytes; no more of it than could ever be shown is looked at.
  const ends = text.length > 4 * width + 8 ? text.slice(0, 2 * width + 4) + text.slice(-2 * width - 4) : text;
  if (ends === text && textWidth(text) <= width) return text;
  const chars = Array.from(ends);
  const head = Math.ceil((width - 1) / 2);
  const tail = Math.max(width - 1 - head, 0);
  return `${takeWidth(chars, head)}…${takeWidth(chars.toReversed(), tail, true)}`;
}

function takeWidth(chars: readonly string[], width: number, isReversed = false): string {
  let used = 0;
  let count = 0;
  for (const char of chars) {
    used += textWidth(char);
    if (used > width) break;
    count++;
  }
  const taken = chars.slice(0, count);
  return (isReversed ? taken.toReversed() : taken).join('');
}

/**
 * Each text in at most `width` columns. Different ones stay different: where the ends that `fitText` leaves are the same, what tells the
 * texts apart is shown behind their beginning.
 */
export function fitTexts(texts: readonly string[], width: number): string[] {
  const cut = new Map<string, string>();
  tellApart([...new Set(texts)], [], width, cut);
  return texts.map((text) => cut.get(text) ?? text);
}

/** Columns that each place takes in which texts differ: with less, texts are left alike. */
const MIN_STRETCH = 6;

/** `places`: characters from which on these texts are shown. */
function tellApart(texts: readonly string[], places: readonly number[], width: number, cut: Map<string, string>): void {
  const byCut = new Map<string, string[]>();
  for (const text of texts) {
    const short = places.length === 0 ? fitText(text, width) : showPlaces(text, places, width);
    cut.set(text, short);
    const same = byCut.get(short);
    if (same === undefined) byCut.set(short, [text]);
    else same.push(text);
  }
  if ((places.length + 2) * MIN_STRETCH > width) return;
  for (const same of byCut.values()) {
    if (same.length < 2) continue;
    const more = [...places, firstDifference(same)].sort((a, b) => a - b);
    tellApart(same, more, width, cut);
  }
}

/** How many characters all of them begin with. */
function firstDifference([first = '', ...others]: readonly string[]): number {
  let at = 0;
  while (at < first.length && others.every((other) => other[at] === first[at])) at++;
  // Not between the halves of a pair.
  return at > 0 && /[\ud800-\udbff]/.test(first[at - 1] ?? '') ? at - 1 : at;
}

/** The beginning of a text, and what it has at some places, in ascending order. */
function showPlaces(text: string, places: readonly number[], width: number): string {
  const part = Math.floor(width / (places.length + 1)) - 1;
  let shown = takeWidth(Array.from(text.slice(0, 2 * width)), part);
  let end = shown.length;
  places.forEach((at, i) => {
    const from = Math.max(at - Math.floor(part / 4), end);
    if (from > end) shown += '…';
    const isLast = i === places.length - 1;
    const room = isLast ? width - textWidth(shown) - 1 : part - 1;
    const stretch = takeWidth(Array.from(text.slice(from, from + 2 * width)), room);
    shown += stretch;
    end = from + stretch.length;
  });
  return end < text.length ? `${shown}…` : shown;
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)));
export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - textWidth(text))) + text;

/** The words of a sentence, at most `width` columns a line; lines after the first are indented by `indent` columns. */
export function wrapText(text: string, width: number, indent = 0): string {
  const lines: string[] = [];
  let line = '';
  // A number stays with its unit.
  for (const word of text.split(/ (?!(?:%|ns|µs|ms|s|B|[KMGT]iB)(?!\w))/)) {
    const room = width - (lines.length === 0 ? 0 : indent);
    const fits = line === '' || textWidth(line) + 1 + textWidth(word) <= room;
    if (fits) {
      line = line === '' ? fitText(word, room) : `${line} ${word}`;
      continue;
    }
    lines.push(line);
    line = fitText(word, width - indent);
  }
  lines.push(line);
  return lines.join(`\n${' '.repeat(indent)}`);
}

/**
 * Rows of cells as lines of equal columns, two spaces between. `align` has a letter a column: `<` left, `>` right, `~` left and
 * shortened where the line would be wider than `width`. Trailing spaces go.
 */
export function formatRows(rows: readonly (readonly string[])[], align: string, width = Infinity): string[] {
  const widths = columnWidths(rows, align, width);
  const fitted = widths.map((room, column) => {
    const isFlexible = align[column] === '~' && room < Infinity;
    return isFlexible
      ? fitTexts(
          rows.map((row) => row[column] ?? ''),
          room,
        )
      : undefined;
  });
  return rows.map((row, at) =>
    row
      .map((cell, column) => {
        const room = widths[column] ?? 0;
        return align[column] === '>' ? padStart(cell, room) : padEnd(fitted[column]?.[at] ?? cell, room);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Columns that may shrink share what the others leave; one that needs less than its part leaves it to the rest. */
function columnWidths(rows: readonly (readonly string[])[], align: string, width: number): number[] {
  const widths = Array.from(align, () => 0);
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
  }
  const flexible = widths.map((_, column) => column).filter((column) => align[column] === '~');
  let room = width - 2 * (align.length - 1);
  for (const [column, needed] of widths.entries()) if (align[column] !== '~') room -= needed;
  flexible.sort((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0));
  for (const [at, column] of flexible.entries()) {
    const part = Math.max(Math.floor(room / (flexible.length - at)), 8);
    widths[column] = Math.min(widths[column] ?? 0, part);
    room -= widths[column] ?? 0;
  }
  return widths;
}
