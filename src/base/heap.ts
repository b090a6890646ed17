/** A binary min-heap of (priority, value) pairs of numbers. `push` and `pop` are O(log n); nothing is allocated per entry. */
export class MinHeap {
  #priorities: number[] = [];
  #values: number[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** The smallest priority, or Infinity where the heap is empty. */
  get least(): number {
    return this.#priorities[0] ?? Infinity;
  }

  push(priority: number, value: number): void {
    let at = this.#values.length;
    this.#priorities.push(priority);
    this.#values.push(value);
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (this.#priorities[up] <= priority) break;
      this.#move(up, at);
      at = up;
    }
    this.#priorities[at] = priority;
    this.#values[at] = value;
  }

  /** Takes the value of the smallest priority; −1 where the heap is empty. */
  pop(): number {
    const top = this.#values[0];
    if (top === undefined) return -1;
    const priority = this.#priorities.pop() as number;
    const value = this.#values.pop() as number;
    const size = this.#values.length;
    if (size === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#priorities[child + 1] < this.#priorities[child]) child++;
      if (this.#priorities[child] >= priority) break;
      this.#move(child, at);
      at = child;
    }
    this.#priorities[at] = priority;
    this.#values[at] = value;
    return top;
  }

  #move(from: number, to: number): void {
    this.#priorities[to] = this.#priorities[from];
    this.#values[to] = this.#values[from];
  }
}
