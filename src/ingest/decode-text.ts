import { BYTE } from './bytes.ts';

/** What was wrong with a text; bits. */
export const TextDamage = { badEscape: 1, invalidUtf8: 2 } as const;

export interface DecodedText {
  readonly text: string;
  /** `TextDamage`s, or 0. */
  readonly damage: number;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
// Neither keeps anything from one text to the next.
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const escape = /\\(?:u([0-9a-fA-F]{4})|([^])|$)/g;

/** The text of a JSON string's bytes, without its quotes. What is no JSON is kept: an unknown escape as itself, other bytes as U+FFFD. */
export function decodeText(bytes: Uint8Array, from: number, to: number): DecodedText {
  const slice = bytes.subarray(from, to);
  let damage = 0;
  let text: string;
  try {
    text = strict.decode(slice);
  } catch {
    // The only failure of a fatal decoder: the bytes are not UTF-8.
    text = lenient.decode(slice);
    damage |= TextDamage.invalidUtf8;
  }
  if (!slice.includes(BYTE.backslash)) return { text, damage };
  const unescaped = text.replace(escape, (whole, unit: string | undefined, letter: string | undefined) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    const plain = letter === undefined ? undefined : simpleEscapes[letter];
    if (plain === undefined) damage |= TextDamage.badEscape;
    return plain ?? whole;
  });
  return { text: unescaped, damage };
}
