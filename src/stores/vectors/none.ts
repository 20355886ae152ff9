// No store of vectors: MongoDB without Qdrant. Memories are found by their words, and searches say why.
import { Fault } from '../../kernel/fault.ts';
import type { Vectors } from '../../ports/vectors.ts';

const missing = () =>
  Promise.reject(
    new Fault('NOT_CONFIGURED', 'There is no store of vectors.', {
      hint: 'With MONGODB_URI set, name a Qdrant in QDRANT_URL.',
    }),
  );

export const createNoVectors = (): Vectors => ({
  name: 'none',
  isThere: false,
  upsert: missing,
  setScopes: async () => {},
  remove: async () => {},
  search: missing,
  scroll: async () => [],
  spaces: async () => [],
  drop: async () => {},
});
