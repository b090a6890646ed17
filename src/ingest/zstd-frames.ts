const FRAME = 0xfd2f_b528;
const SKIPPABLE = 0x184d_2a50;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];

/**
 * Tells whether a zstd stream ended between two frames or inside one, from its bytes alone (RFC 8878, section 3.1): Node before 24
 * says nothing where a file is cut. Contents are not looked at.
 */
export class ZstdFrames {
  readonly #field: number[] = [];
  #wanted = 4;
  #skip = 0;
  #hasChecksum = false;
  #isLast = false;
  #read: (field: readonly number[]) => void = (field) => this.#magic(field);
  #isBetween = true;
  #widest = 0;

  /** The widest window that a frame so far asks for, in bytes: what a decoder has to keep. */
  get widestWindow(): number {
    return this.#widest;
  }

  /** Would a stream that ends here be cut? */
  get isInside(): boolean {
    return !this.#isBetween || this.#field.length > 0;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
        if (this.#skip === 0) this.#settle();
        continue;
      }
      this.#field.push(chunk[at++] ?? 0);
      if (this.#field.length < this.#wanted) continue;
      this.#read(this.#field.splice(0));
      this.#settle();
    }
  }

  /** Fields of no length are over at once. */
  #settle(): void {
    while (this.#skip === 0 && this.#wanted === 0) this.#read([]);
  }

  #expect(bytes: number, read: (field: readonly number[]) => void): void {
    this.#wanted = bytes;
    this.#read = read;
  }

  #magic(field: readonly number[]): void {
    const magic = littleEndian(field);
    if (magic === FRAME) {
      this.#isBetween = false;
      this.#expect(1, ([descriptor = 0]) => this.#header(descriptor));
    } else if (magic >= SKIPPABLE && magic < SKIPPABLE + 16) {
      this.#isBetween = false;
      this.#expect(4, (size) => this.#skipThen(littleEndian(size), () => this.#end()));
    } else this.#skip = Infinity;
  }

  #header(descriptor: number): void {
    const isSingle = (descriptor & 0x20) !== 0;
    const sizeFlag = descriptor >> 6;
    this.#hasChecksum = (descriptor & 4) !== 0;
    const contentSize = sizeFlag === 0 && isSingle ? 1 : (CONTENT_SIZE_BYTES[sizeFlag] ?? 0);
    const dictionary = DICTIONARY_BYTES[descriptor & 3] ?? 0;
    this.#expect((isSingle ? 0 : 1) + dictionary + contentSize, (field) => {
      const size = littleEndian(field.slice(field.length - contentSize)) + (contentSize === 2 ? 256 : 0);
      this.#widest = Math.max(this.#widest, isSingle ? size : windowOf(field[0] ?? 0));
      this.#expect(3, (block) => this.#block(littleEndian(block)));
    });
  }

  #block(header: number): void {
    this.#isLast = (header & 1) === 1;
    const isRepeated = ((header >> 1) & 3) === 1;
    this.#skipThen(isRepeated ? 1 : header >> 3, () => {
      if (!this.#isLast) this.#expect(3, (block) => this.#block(littleEndian(block)));
      else this.#skipThen(this.#hasChecksum ? 4 : 0, () => this.#end());
    });
  }

  #skipThen(bytes: number, next: () => void): void {
    this.#skip = bytes;
    this.#expect(0, next);
  }

  #end(): void {
    this.#isBetween = true;
    this.#expect(4, (field) => this.#magic(field));
  }
}

/** Three bits of eighths behind five of a power of two. */
const windowOf = (descriptor: number): number => 2 ** (10 + (descriptor >> 3)) * (1 + (descriptor & 7) / 8);

const littleEndian = (field: readonly number[]): number => field.reduceRight((number, byte) => number * 256 + byte, 0);
