import { NO_STRING, type StringId } from './ids.ts';

/** The texts of a trace, each once. */
export interface StringTable {
  readonly length: number;
  text(id: StringId): string;
  /** The id of a text that the trace has, else `undefined`: an absent name matches nothing. */
  find(text: string): StringId | undefined;
}

/** Interns texts as they are read. */
export class StringBuilder implements StringTable {
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, StringId>();

  get length(): number {
    return this.#texts.length;
  }

  intern(text: string): StringId {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length as StringId;
    this.#texts.push(text);
    this.#ids.set(text, id);
    return id;
  }

  text(id: StringId): string {
    return id === NO_STRING ? '' : (this.#texts[id] as string);
  }

  find(text: string): StringId | undefined {
    return this.#ids.get(text);
  }
}
