import type { StringId } from '../trace/ids.ts';
import type { StringBuilder } from '../trace/strings.ts';
import { decodeText } from './decode-text.ts';

/** A table must not be fuller than this: chains of an open-addressing table grow fast above it. */
const MAX_LOAD = 0.5;

/** Interns texts by their bytes: a text is decoded on first sight only. */
export class ByteInterner {
  readonly #strings: StringBuilder;
  /** Slot → entry + 1, or 0. The length is a power of two. */
  #slots = new Int32Array(1 << 12);
  #hashes = new Int32Array(1 << 10);
  #from = new Float64Array(1 << 10);
  #length = new Int32Array(1 << 10);
  #ids = new Int32Array(1 << 10);
  #damage = new Uint8Array(1 << 10);
  #count = 0;
  /** The bytes of all entries, one behind the other. */
  #arena = new Uint8Array(1 << 16);
  #used = 0;
  /** `TextDamage` of the text last interned. */
  damage = 0;

  constructor(strings: StringBuilder) {
    this.#strings = strings;
  }

  /** The id of the JSON string whose bytes (without quotes) are `bytes[from, to)`. Sets `damage`. */
  intern(bytes: Uint8Array, from: number, to: number): StringId {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.#slots[slot] - 1;
      if (entry < 0) return this.#add(hash, slot, bytes, from, to);
      if (this.#hashes[entry] === hash && this.#isSame(entry, bytes, from, to)) {
        this.damage = this.#damage[entry];
        return this.#ids[entry] as StringId;
      }
      slot = (slot + 1) & mask;
    }
  }

  #isSame(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#length[entry] !== to - from) return false;
    const arena = this.#arena;
    let other = this.#from[entry];
    for (let at = from; at < to; at++) if (bytes[at] !== arena[other++]) return false;
    return true;
  }

  #add(hash: number, slot: number, bytes: Uint8Array, from: number, to: number): StringId {
    const entry = this.#count++;
    if (entry === this.#hashes.length) this.#growEntries();
    if (this.#used + to - from > this.#arena.length) this.#growArena(to - from);
    const { text, damage } = decodeText(bytes, from, to);
    const id = this.#strings.intern(text);
    this.#arena.set(bytes.subarray(from, to), this.#used);
    this.#hashes[entry] = hash;
    this.#from[entry] = this.#used;
    this.#length[entry] = to - from;
    this.#ids[entry] = id;
    this.#damage[entry] = damage;
    this.#used += to - from;
    this.#slots[slot] = entry + 1;
    if (this.#count > this.#slots.length * MAX_LOAD) this.#growSlots();
    this.damage = damage;
    return id;
  }

  #growEntries(): void {
    const length = this.#hashes.length * 2;
    this.#hashes = grown(this.#hashes, new Int32Array(length));
    this.#from = grown(this.#from, new Float64Array(length));
    this.#length = grown(this.#length, new Int32Array(length));
    this.#ids = grown(this.#ids, new Int32Array(length));
    this.#damage = grown(this.#damage, new Uint8Array(length));
  }

  #growArena(more: number): void {
    this.#arena = grown(this.#arena, new Uint8Array(Math.max(this.#arena.length * 2, this.#used + more)));
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

function grown<A extends Int32Array | Float64Array | Uint8Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
