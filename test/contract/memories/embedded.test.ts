// Memories and their indexes on the embedded store: what a killed process leaves is made whole by the repair.
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { inFolder } from './folder.ts';
import { memoriesSuite } from './suite.ts';

memoriesSuite('the embedded store', async () => inFolder((sqlite) => createEmbeddedVectors({ sqlite })));
