// Collects the largest of many numbers in one pass.

/** The `limit` largest. Sorting now and then is cheaper than a heap for limits of some hundreds. */
export class Best {
  readonly #limit: number;
  /** In an array of numbers alone, sorting calls no function and boxes none of them. */
  readonly #values: Float64Array;
  #size = 0;
  #floor = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = Math.max(limit, 1);
    this.#values = new Float64Array(this.#limit * 2);
  }

  /** Numbers below this are not among the largest. */
  get floor(): number {
    return this.#floor;
  }

  add(value: number): void {
    if (value <= this.#floor) return;
    this.#values[this.#size++] = value;
    if (this.#size === this.#values.length) this.#cut();
  }

  #cut(): void {
    this.#values.subarray(0, this.#size).sort();
    if (this.#size > this.#limit) this.#values.copyWithin(0, this.#size - this.#limit, this.#size);
    this.#size = Math.min(this.#size, this.#limit);
    if (this.#size === this.#limit) this.#floor = this.#values[0] as number;
  }

  /** The smallest of the largest; `-Infinity` while there are fewer than `limit`. */
  get last(): number {
    this.#cut();
    return this.#floor;
  }
}
