// The vectors of one scope as a matrix, and its exact search.
import { byScore, type VectorHit } from '../../../ports/vectors.ts';

export interface Scope {
  readonly bytes: number;
  put(id: number, vector: Float32Array): void;
  remove(id: number): void;
  /** The nearest by cosine, best first. Costs one pass over the matrix. */
  nearest(vector: Float32Array, limit: number): VectorHit[];
}

export function createScope(dimensions: number, expected: number): Scope {
  let matrix = new Float32Array(Math.max(expected, 4) * dimensions);
  const ids: number[] = [];
  const rows = new Map<number, number>();

  const grow = () => {
    if ((ids.length + 1) * dimensions <= matrix.length) return;
    const larger = new Float32Array(Math.ceil((matrix.length / dimensions) * 1.5) * dimensions);
    larger.set(matrix);
    matrix = larger;
  };

  return {
    get bytes() {
      // An id costs its number and its place in a map.
      return matrix.byteLength + 48 * ids.length + 1;
    },
    put(id, vector) {
      const known = rows.get(id);
      if (known === undefined) {
        grow();
        rows.set(id, ids.length);
        ids.push(id);
      }
      matrix.set(vector, (known ?? ids.length - 1) * dimensions);
    },
    remove(id) {
      const row = rows.get(id);
      if (row === undefined) return;
      const last = ids.length - 1;
      const moved = ids[last] as number;
      matrix.copyWithin(row * dimensions, last * dimensions, (last + 1) * dimensions);
      matrix.fill(0, last * dimensions, (last + 1) * dimensions);
      ids[row] = moved;
      rows.set(moved, row);
      ids.pop();
      rows.delete(id);
    },
    nearest(vector, limit) {
      const best: VectorHit[] = [];
      let least = Number.NEGATIVE_INFINITY;
      for (let row = 0; row < ids.length; row++) {
        const score = dot(matrix, row * dimensions, vector);
        if (best.length >= limit && score < least) continue;
        best.push({ id: ids[row] as number, score });
        // Sorting now and then is cheaper than a heap for limits of some hundreds.
        if (best.length < limit * 2) continue;
        best.sort(byScore).length = limit;
        least = (best[limit - 1] as VectorHit).score;
      }
      return best.sort(byScore).slice(0, limit);
    },
  };
}

/** Four sums side by side: the processor need not wait for the one before. */
function dot(matrix: Float32Array, from: number, vector: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const { length } = vector;
  const even = length - (length % 4);
  for (let at = 0; at < even; at += 4) {
    a += (matrix[from + at] as number) * (vector[at] as number);
    b += (matrix[from + at + 1] as number) * (vector[at + 1] as number);
    c += (matrix[from + at + 2] as number) * (vector[at + 2] as number);
    d += (matrix[from + at + 3] as number) * (vector[at + 3] as number);
  }
  for (let at = even; at < length; at++) a += (matrix[from + at] as number) * (vector[at] as number);
  return a + b + c + d;
}
