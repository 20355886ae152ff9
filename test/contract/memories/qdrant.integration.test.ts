// Memories with their vectors on Qdrant: over its REST interface, and on the server that QDRANT_TEST_URL names.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createQdrantVectors } from '../../../src/stores/vectors/qdrant/vectors.ts';
import { qdrantKinds, type RunningQdrant } from '../../support/qdrant/server.ts';
import { inFolder } from './folder.ts';
import { memoriesSuite } from './suite.ts';

const { kinds, missing } = await qdrantKinds();
if (missing) it.skip(`skipped: ${missing}`, () => {});

for (const kind of kinds)
  describe(kind.name, () => {
    let server: RunningQdrant;
    let worlds = 0;
    beforeAll(async () => {
      server = await kind.start();
    });
    afterAll(() => server?.stop());
    memoriesSuite(
      kind.name,
      async () => {
        const prefix = `rivulet-test-${process.pid}-${Date.now()}-${worlds++}`;
        const vectors = () => createQdrantVectors({ url: server.url, apiKey: null, prefix });
        const stores = inFolder(vectors);
        return {
          open: stores.open,
          async close() {
            await stores.close();
            for (const space of await vectors().spaces('memories')) await vectors().drop(space);
            for (const space of await vectors().spaces('graph-nodes')) await vectors().drop(space);
          },
        };
      },
      10,
    );
  });
