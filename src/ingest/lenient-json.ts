import { BYTE, skipSpace, stringEnd } from './bytes.ts';
import { decodeText } from './decode-text.ts';
import { NumberReader } from './read-number.ts';

/** Nesting that a trace's values never reach. Deeper, the text is given up. */
const MAX_DEPTH = 500;

/**
 * The value that some JSON text means, read as the scanner reads rows: raw control characters, unknown escapes, hexadecimal numbers
 * and bare words (`N/A`, `nan`: read as `null`) are taken. `undefined` where it is not even that.
 */
export function parseLenient(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(json)) as unknown;
  } catch {
    // The only failure of JSON.parse is damage, for which there is the lenient parser.
    return new LenientParser(json).parse();
  }
}

class LenientParser {
  /** The text, then quotes: no loop runs over the end. */
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #number = new NumberReader();
  #at = 0;
  #failed = false;

  constructor(json: Uint8Array) {
    this.#end = json.length;
    this.#bytes = new Uint8Array(json.length + 4).fill(BYTE.quote);
    this.#bytes.set(json);
  }

  parse(): unknown {
    const value = this.#value(0);
    return this.#failed || this.#next() < this.#end ? undefined : value;
  }

  /** The place of the next byte that is no space. */
  #next(): number {
    return (this.#at = skipSpace(this.#bytes, this.#at));
  }

  /** Steps over `byte` if it comes next. */
  #takes(byte: number): boolean {
    const at = this.#next();
    if (at >= this.#end || this.#bytes[at] !== byte) return false;
    this.#at++;
    return true;
  }

  #fail(): undefined {
    this.#failed = true;
    return undefined;
  }

  #value(depth: number): unknown {
    if (this.#next() >= this.#end || depth > MAX_DEPTH) return this.#fail();
    if (this.#takes(BYTE.openObject)) return this.#object(depth);
    if (this.#takes(BYTE.openArray)) return this.#array(depth);
    return this.#takes(BYTE.quote) ? this.#string() : this.#word();
  }

  #string(): string | undefined {
    const from = this.#at;
    const close = stringEnd(this.#bytes, from);
    if (close >= this.#end) return this.#fail();
    this.#at = close + 1;
    return decodeText(this.#bytes, from, close).text;
  }

  #object(depth: number): Record<string, unknown> | undefined {
    const members: [string, unknown][] = [];
    if (this.#takes(BYTE.closeObject)) return {};
    do {
      const key = this.#takes(BYTE.quote) ? this.#string() : undefined;
      if (key === undefined || !this.#takes(BYTE.colon)) return this.#fail();
      members.push([key, this.#value(depth + 1)]);
      if (this.#failed) return undefined;
    } while (this.#takes(BYTE.comma));
    return this.#takes(BYTE.closeObject) ? Object.fromEntries(members) : this.#fail();
  }

  #array(depth: number): unknown[] | undefined {
    const values: unknown[] = [];
    if (this.#takes(BYTE.closeArray)) return values;
    do {
      values.push(this.#value(depth + 1));
      if (this.#failed) return undefined;
    } while (this.#takes(BYTE.comma));
    return this.#takes(BYTE.closeArray) ? values : this.#fail();
  }

  #word(): number | boolean | null | undefined {
    const from = this.#at;
    while (this.#at < this.#end && isWordByte(this.#bytes[this.#at])) this.#at++;
    if (this.#at === from) return this.#fail();
    const { text } = decodeText(this.#bytes, from, this.#at);
    if (text === 'true' || text === 'false') return text === 'true';
    const number = this.#number.read(this.#bytes, from, this.#at);
    return Number.isNaN(number) ? null : number;
  }
}

const isWordByte = (byte: number): boolean =>
  byte > BYTE.space &&
  byte !== BYTE.comma &&
  byte !== BYTE.colon &&
  byte !== BYTE.quote &&
  byte !== BYTE.openArray &&
  byte !== BYTE.closeArray &&
  byte !== BYTE.openObject &&
  byte !== BYTE.closeObject;
