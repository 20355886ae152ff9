// Collects the largest of many numbers in one pass.

/** The `limit` largest. Sorting now and then is cheaper than a heap for limits of some hundreds. */
export class Best {
  readonly #limit: number;
  #values: number[] = [];
  /** Numbers below this are not among the largest. */
  #floor = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(value: number): void {
    if (value <= this.#floor) return;
    this.#values.push(value);
    if (this.#values.length >= this.#limit * 2) this.#cut();
  }

  #cut(): void {
    this.#values.sort((a, b) => b - a);
    if (this.#values.length > this.#limit) this.#values.length = this.#limit;
    if (this.#values.length === this.#limit) this.#floor = this.#values[this.#limit - 1] as number;
  }

  /** The smallest of the largest; `-Infinity` while there are fewer than `limit`. */
  get last(): number {
    this.#cut();
    return this.#floor;
  }
}
