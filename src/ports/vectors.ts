// Vectors of what can be found by meaning: kept by embedding model, searched within one tenant's scopes.

/** Vectors of one kind of documents by one embedding model; they can be compared with one another. */
export interface VectorSpace {
  /** What they stand for, e.g. `memories`; ids are unique within a kind. */
  kind: string;
  model: string;
  dimensions: number;
}

export interface VectorPoint {
  id: number;
  tenantId: number;
  /** Names of the sets that it belongs to, e.g. `identity:7`; a search asks for some of them. */
  scopes: readonly string[];
  /** Of length 1. */
  vector: Float32Array;
}

export interface VectorSearch {
  tenantId: number;
  /** A point that is in any of them can be found. */
  scopes: readonly string[];
  vector: Float32Array;
  limit: number;
}

export interface VectorHit {
  id: number;
  /** Cosine of the angle: 1 for the same direction. */
  score: number;
}

/**
 * Where vectors are kept. They can be lost and made again from the documents, which alone say what may be shown: a
 * search is a proposal. Fault STORE_UNAVAILABLE when the store does not answer.
 */
export interface Vectors {
  /** What it is, for people: `embedded` or `Qdrant`. */
  readonly name: string;
  /** False where there is none: nothing is embedded then. */
  readonly isThere: boolean;
  /** Writes points, over those of the same id. Searches see them when it resolves. */
  upsert(space: VectorSpace, points: readonly VectorPoint[]): Promise<void>;
  /** Puts points that are there into other scopes. */
  setScopes(space: VectorSpace, points: readonly Omit<VectorPoint, 'vector'>[]): Promise<void>;
  /** Removes points, where they are there. */
  remove(space: VectorSpace, tenantId: number, ids: readonly number[]): Promise<void>;
  /** The nearest, best first; of equal ones the lower id first. Nothing for a space that is not there. */
  search(space: VectorSpace, search: VectorSearch): Promise<VectorHit[]>;
  /** Points without their vectors, by id from `after` on, for repairs. */
  scroll(space: VectorSpace, after: number, limit: number): Promise<Omit<VectorPoint, 'vector'>[]>;
  /** The spaces of a kind that hold, or held, points. */
  spaces(kind: string): Promise<VectorSpace[]>;
  /** Removes a space with all that is in it. */
  drop(space: VectorSpace): Promise<void>;
}

export const isSameSpace = (a: VectorSpace, b: VectorSpace) =>
  a.kind === b.kind && a.model === b.model && a.dimensions === b.dimensions;

/** Best first; of equal ones the lower id first, so that every store says the same. */
export const byScore = (a: VectorHit, b: VectorHit) => b.score - a.score || a.id - b.id;
