// Memories with their vectors on Qdrant: over its REST interface, on its engine, and on the server that QDRANT_TEST_URL names.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createQdrantVectors } from '../../../src/stores/vectors/qdrant/vectors.ts';
import { qdrantKinds, type RunningQdrant } from '../../support/qdrant/server.ts';
import { inFolder } from './folder.ts';
import { sameTenSuite } from './same-ten.ts';
import { memoriesSuite } from './suite.ts';
import type { Stores } from './world.ts';

const { kinds, missing } = await qdrantKinds();
for (const reason of missing) it.skip(`skipped: ${reason}`, () => {});

for (const kind of kinds)
  describe(kind.name, () => {
    let server: RunningQdrant;
    let worlds = 0;
    beforeAll(async () => {
      server = await kind.start();
    });
    afterAll(() => server?.stop());
    const stores = async (): Promise<Stores> => {
      const prefix = `rivulet-test-${process.pid}-${Date.now()}-${worlds++}`;
      const vectors = () => createQdrantVectors({ url: server.url, apiKey: null, prefix });
      const made = inFolder(vectors);
      return {
        open: made.open,
        async close() {
          await made.close();
          for (const space of await vectors().spaces('memories')) await vectors().drop(space);
          for (const space of await vectors().spaces('graph-nodes')) await vectors().drop(space);
        },
      };
    };
    memoriesSuite(kind.name, stores, 10);
    sameTenSuite(kind.name, stores);
  });
