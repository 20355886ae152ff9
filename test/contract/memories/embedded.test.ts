// Memories and their indexes on the embedded store: what a killed process leaves is made whole by the repair.
import { createEmbeddedVectors } from '../../../src/stores/vectors/embedded/vectors.ts';
import { inFolder } from './folder.ts';
import { sealedSuite } from './sealed-suite.ts';
import { memoriesSuite } from './suite.ts';

const open = async () => inFolder((sqlite) => createEmbeddedVectors({ sqlite }));
memoriesSuite('the embedded store', open);
sealedSuite('the embedded store', open);
