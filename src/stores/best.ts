// The largest of many numbers, in a pass over them.

/** The `limit` largest. Sorting now and then is cheaper than a heap for limits of some hundreds. */
export class Best {
  readonly #limit: number;
  #values: number[] = [];
  /** Nothing below this is among them. */
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

  /** The last of them; below any number where there are not so many. */
  get last(): number {
    this.#cut();
    return this.#floor;
  }
}
