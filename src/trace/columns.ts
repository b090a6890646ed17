/** A read-only typed column. One load per access, and the row's type is the branded one. */
export interface Col<T extends number = number> {
  readonly length: number;
  readonly [row: number]: T;
}

type ColumnArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A column that grows by doubling. `take` trims it and hands it over as a read-only column: the one cast of the store. */
export class ColBuilder<A extends ColumnArray> {
  #array: A;
  #length = 0;
  readonly #make: new (length: number) => A;

  constructor(make: new (length: number) => A, capacity = 1024) {
    this.#make = make;
    this.#array = new make(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#array.length) {
      const larger = new this.#make(this.#array.length * 2);
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.#length++] = value;
  }

  get(row: number): number {
    return this.#array[row] as number;
  }

  set(row: number, value: number): void {
    this.#array[row] = value;
  }

  /** The column in the order of `order` (row numbers), or as pushed. The builder must not be used afterwards. */
  take<T extends number>(order?: Col): Col<T> {
    if (order === undefined) return this.#array.subarray(0, this.#length) as unknown as Col<T>;
    const sorted = new this.#make(order.length);
    for (let row = 0; row < order.length; row++) sorted[row] = this.#array[order[row]] as number;
    return sorted as unknown as Col<T>;
  }
}
