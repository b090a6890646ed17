import type { StringId } from '../trace/ids.ts';
import type { StringBuilder } from '../trace/strings.ts';
import { decodeText } from './decode-text.ts';
import { lowBytes } from './words.ts';

/** Interns texts by their bytes: a text is decoded on first sight only. */
export class ByteInterner {
  readonly #strings: StringBuilder;
  /** Slot → entry + 1, or 0. The length is a power of two, and at most half of it is used: chains stay short. */
  #slots = new Int32Array(1 << 12);
  #hashes = new Int32Array(1 << 10);
  /** Where an entry's words begin. */
  #from = new Int32Array(1 << 10);
  /** Bytes of an entry. */
  #length = new Int32Array(1 << 10);
  #ids = new Int32Array(1 << 10);
  #damage = new Uint8Array(1 << 10);
  #count = 0;
  /** The bytes of all entries in whole words; unused bytes of an entry's last word are 0. */
  #words = new Int32Array(1 << 14);
  #used = 0;
  /** `TextDamage` of the text last interned. */
  damage = 0;

  constructor(strings: StringBuilder) {
    this.#strings = strings;
  }

  /**
   * The id of the JSON string whose bytes (without quotes) are `[from, to)` and whose `hashBytes` is `hash`. Sets `damage`.
   * Three bytes behind `to` must be readable.
   */
  intern(bytes: Uint8Array, view: DataView, from: number, to: number, hash: number): StringId {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = slots[slot] - 1;
      if (entry < 0) return this.#add(hash, slot, bytes, view, from, to);
      if (this.#hashes[entry] === hash && this.#isSame(entry, view, from, to)) {
        this.damage = this.#damage[entry];
        return this.#ids[entry] as StringId;
      }
      slot = (slot + 1) & mask;
    }
  }

  #isSame(entry: number, view: DataView, from: number, to: number): boolean {
    if (this.#length[entry] !== to - from) return false;
    const words = this.#words;
    let word = this.#from[entry];
    let at = from;
    for (; at + 4 <= to; at += 4) if (view.getInt32(at, true) !== words[word++]) return false;
    return at === to || lowBytes(view.getInt32(at, true), to - at) === words[word];
  }

  #add(hash: number, slot: number, bytes: Uint8Array, view: DataView, from: number, to: number): StringId {
    const entry = this.#count++;
    if (entry === this.#hashes.length) this.#growEntries();
    const wordCount = (to - from + 3) >> 2;
    if (this.#used + wordCount > this.#words.length) this.#growWords(wordCount);
    const { text, damage } = decodeText(bytes, from, to);
    const id = this.#strings.intern(text);
    this.#hashes[entry] = hash;
    this.#from[entry] = this.#used;
    this.#length[entry] = to - from;
    this.#ids[entry] = id;
    this.#damage[entry] = damage;
    for (let at = from; at < to; at += 4) {
      const word = view.getInt32(at, true);
      this.#words[this.#used++] = at + 4 <= to ? word : lowBytes(word, to - at);
    }
    this.#slots[slot] = entry + 1;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    this.damage = damage;
    return id;
  }

  #growEntries(): void {
    const length = this.#hashes.length * 2;
    this.#hashes = grown(this.#hashes, length);
    this.#from = grown(this.#from, length);
    this.#length = grown(this.#length, length);
    this.#ids = grown(this.#ids, length);
    const damage = new Uint8Array(length);
    damage.set(this.#damage);
    this.#damage = damage;
  }

  #growWords(more: number): void {
    this.#words = grown(this.#words, Math.max(this.#words.length * 2, this.#used + more));
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = this.#hashes[entry] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry + 1;
    }
  }
}

function grown(from: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}
