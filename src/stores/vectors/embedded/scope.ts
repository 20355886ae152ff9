// Vectors of one scope, quantised to 8 bits a dimension, and the candidates for the nearest of a question.
import { Best } from '../../best.ts';
import { type Codes, createCodes, lane } from './scan.ts';

export interface Candidate {
  id: number;
  /** Upper bound of its score. */
  most: number;
}

export interface Scope {
  readonly bytes: number;
  put(id: number, vector: Float32Array): void;
  remove(id: number): void;
  /**
   * Every vector that can be among the `limit` nearest, by falling upper bound. The error of a code is at most its rest,
   * so that none is missed: comparing the candidates' vectors gives the exact answer.
   */
  candidates(vector: Float32Array, limit: number): Candidate[];
}

/** Largest absolute value of a code, and of a coded question. */
const [codeMost, questionMost] = [127, 2047];

export const createScope = (dimensions: number, expected: number): Scope => new CodedScope(dimensions, expected);

class CodedScope implements Scope {
  readonly #dimensions: number;
  readonly #width: number;
  readonly #ids: number[] = [];
  readonly #rows = new Map<number, number>();
  #codes: Codes;
  /** Value of one step of a code, and length of the rest that the codes leave out. */
  #steps: Float32Array;
  #rests: Float32Array;

  constructor(dimensions: number, expected: number) {
    this.#dimensions = dimensions;
    this.#width = Math.ceil(dimensions / lane) * lane;
    const size = Math.max(expected, 4);
    this.#codes = createCodes(size, this.#width);
    this.#steps = new Float32Array(size);
    this.#rests = new Float32Array(size);
  }

  get bytes(): number {
    // An id takes its number and an entry of the map.
    return this.#codes.rows.byteLength + 8 * this.#steps.length + 48 * this.#ids.length + 1;
  }

  put(id: number, vector: Float32Array): void {
    const row = this.#rows.get(id) ?? this.#append(id);
    const step = mostOf(vector) / codeMost || 1;
    const [codes, dimensions] = [this.#codes.rows, this.#dimensions];
    const [perStep, first] = [1 / step, row * this.#width];
    let rest = 0;
    for (let at = 0; at < dimensions; at++) {
      const value = vector[at] as number;
      // Three times as fast as Math.round; which neighbour a half goes to is all the same.
      const code = Math.floor(value * perStep + 0.5);
      codes[first + at] = code;
      const off = value - code * step;
      rest += off * off;
    }
    this.#steps[row] = step;
    this.#rests[row] = rounded(rest);
  }

  remove(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    const [width, last] = [this.#width, this.#ids.length - 1];
    const moved = this.#ids[last] as number;
    this.#codes.rows.copyWithin(row * width, last * width, (last + 1) * width);
    this.#codes.rows.fill(0, last * width, (last + 1) * width);
    this.#steps[row] = this.#steps[last] as number;
    this.#rests[row] = this.#rests[last] as number;
    this.#ids[row] = moved;
    this.#rows.set(moved, row);
    this.#ids.pop();
    this.#rows.delete(id);
  }

  candidates(vector: Float32Array, limit: number): Candidate[] {
    const { question, step, rest } = coded(vector, this.#width);
    const count = this.#ids.length;
    const products = this.#codes.scan(count, question);
    const bounds = { products, steps: this.#steps, rests: this.#rests, step, rest };
    const least = new Best(limit);
    const near = nearRows(bounds, count, least);
    const [floor, found] = [least.last, [] as Candidate[]];
    // The floor has grown, so that the first rows are looked at again.
    for (const row of near) {
      const most = mostOfRow(bounds, row);
      if (most >= floor) found.push({ id: this.#ids[row] as number, most });
    }
    return found.sort((a, b) => b.most - a.most || a.id - b.id);
  }

  #append(id: number): number {
    const row = this.#ids.length;
    if (row === this.#steps.length) this.#grow(Math.ceil(row * 1.5));
    this.#rows.set(id, row);
    this.#ids.push(id);
    return row;
  }

  #grow(size: number): void {
    const [codes, steps, rests] = [createCodes(size, this.#width), new Float32Array(size), new Float32Array(size)];
    codes.rows.set(this.#codes.rows);
    steps.set(this.#steps);
    rests.set(this.#rests);
    [this.#codes, this.#steps, this.#rests] = [codes, steps, rests];
  }
}

/** What bounds the scores of rows: the products of their codes with a question's, and what the codes of both leave out. */
interface Bounds {
  products: Int32Array;
  steps: Float32Array;
  rests: Float32Array;
  step: number;
  rest: number;
}

/** Rows that may be among the best; a loop of its own, so that it is compiled once and keeps no objects. */
function nearRows({ products, steps, rests, step, rest }: Bounds, count: number, least: Best): number[] {
  const near: number[] = [];
  for (let row = 0; row < count; row++) {
    const score = (products[row] as number) * (steps[row] as number) * step;
    const off = offBy(rests[row] as number, rest);
    least.add(score - off);
    if (score + off >= least.floor) near.push(row);
  }
  return near;
}

function mostOfRow({ products, steps, rests, step, rest }: Bounds, row: number): number {
  const score = (products[row] as number) * (steps[row] as number) * step;
  return score + offBy(rests[row] as number, rest);
}

/** Square root, rounded up: the bound must hold in single precision, too. */
const rounded = (squares: number) => Math.sqrt(squares) * 1.000_01 + 1e-6;

/** Largest error of a product of codes against that of the vectors, both of length 1 (Cauchy–Schwarz, twice). */
const offBy = (rest: number, questionRest: number) => rest + questionRest * (1 + rest);

function coded(vector: Float32Array, width: number) {
  // The sum of `width` products stays below 2³¹.
  const most = Math.min(questionMost, Math.floor((2 ** 31 - 1) / (codeMost * width)));
  const step = mostOf(vector) / most || 1;
  const question = new Int16Array(width);
  let rest = 0;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at] as number;
    question[at] = Math.round(value / step);
    rest += (value - (question[at] as number) * step) ** 2;
  }
  return { question, step, rest: rounded(rest) };
}

function mostOf(vector: Float32Array): number {
  let most = 0;
  for (let at = 0; at < vector.length; at++) most = Math.max(most, Math.abs(vector[at] as number));
  return most;
}
