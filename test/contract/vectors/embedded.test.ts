// The contract of vectors on the embedded store, with a bound that everything fits in and one that nothing does.
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { openTestDb } from '../../support/embedded-db.ts';
import { vectorsSuite } from './suite.ts';

vectorsSuite('embedded', async () => createEmbeddedVectors({ sqlite: openTestDb().file }));
vectorsSuite('embedded, nothing in memory', async () =>
  createEmbeddedVectors({ sqlite: openTestDb().file, cacheBytes: 1 }),
);
