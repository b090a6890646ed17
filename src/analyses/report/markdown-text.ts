/** Words → GitHub-flavoured Markdown that shows exactly these words, and that nothing links, mentions or sets off. */
import { escapeText, fitText } from '../../base/format.ts';
import type { ReportText } from './document.ts';

/**
 * An element that shows nothing: it parts what would be joined to a mention, a link, an issue or a commit after the Markdown was
 * read, where no backslash helps. Unlike an invisible character it is not copied.
 */
const BREAK = '<span></span>';
/** Its place while the text is escaped: no text has this character any more. */
const MARK = '\0';

const JOINED: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/@(?=[\p{L}\p{N}_])|#(?=\d)|\bGH-(?=\d)|www(?=\.)|:(?=\/\/)|\b(?:mailto|xmpp)(?=:)/giu, (found) => found + MARK],
  // `:bug:` is a picture.
  [/:(?=[\w+-]+:)/g, (found) => found + MARK],
  // Seven digits may be a commit, six are none.
  [/(?<![\da-z])[\da-f]{7,}(?![\da-z])/gi, (found) => (found.match(/.{1,6}/g) ?? []).join(MARK)],
];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '|': '&#124;',
  // Two dollars are a formula, with or without a backslash.
  $: '<span>$</span>',
};

/** One line of Markdown; `isCell`: in a table. */
export function markdownOf(text: ReportText, isCell = false): string {
  const line = joinPieces(text, plainOf, (code) => codeOf(code, isCell)).trim();
  return isCell ? line : escapeStart(line);
}

/** The same inside of an HTML element, where Markdown is not read. */
export const summaryOf = (text: ReportText): string =>
  joinPieces(text, entitiesOf, (code) => (code === '' ? '' : `<code>${entitiesOf(code)}</code>`));

/** Two pieces of one sort that touch are parted: two code spans would be one, and two texts a mention. What shows nothing parts nothing. */
function joinPieces(text: ReportText, plain: (text: string) => string, code: (text: string) => string): string {
  const pieces = typeof text === 'string' ? [text] : text;
  let line = '';
  let wasCode: boolean | undefined;
  for (const piece of pieces) {
    const isCode = typeof piece !== 'string';
    const words = isCode ? code(piece.code) : plain(piece);
    if (words === '') continue;
    line += wasCode === isCode ? BREAK + words : words;
    wasCode = isCode;
  }
  return line;
}

/** Parted while the characters are still the text's own; the marks become elements when all else is escaped. */
function escapeWith(text: string, escape: (parted: string) => string): string {
  let parted = escapeText(text);
  for (const [found, part] of JOINED) parted = parted.replace(found, part);
  return escape(parted).replaceAll(MARK, BREAK);
}

const entities = (text: string): string => text.replace(/[&<>|$]/g, (char) => ENTITIES[char]);
const entitiesOf = (text: string): string => escapeWith(text, entities);
const plainOf = (text: string): string =>
  escapeWith(text, (parted) => entities(parted.replace(/[\\`*_[\]~]|#(?!\0)/g, '\\$&')));

/** What makes a list or a rule of a line. */
const escapeStart = (line: string): string =>
  line.replace(/^([+=-]|\d+(?=[.)](?:\s|$)))/, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));

const LONGEST_NAME = 80;

/** A code span, into which nothing looks; the middle of a long name goes. */
export function codeOf(text: string, isCell = false, width = LONGEST_NAME): string {
  const shown = fitText(escapeText(text), width).trim();
  // A bar parts cells even in code, and a backslash before its backslash would undo that.
  const code = isCell ? shown.replace(/(\\?)\|/g, (_, before: string) => (before === '' ? '\\|' : '\\\\x7c')) : shown;
  if (code === '') return '';
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}
