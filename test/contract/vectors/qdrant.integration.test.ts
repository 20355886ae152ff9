// The contract of vectors on Qdrant: over its REST interface, on its engine, and on the server that QDRANT_TEST_URL names.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQdrantVectors } from '../../../src/stores/vectors/qdrant/vectors.ts';
import { qdrantKinds, type RunningQdrant, startFront } from '../../support/qdrant/server.ts';
import { vectorsSuite } from './suite.ts';

const { kinds, missing } = await qdrantKinds();
for (const reason of missing) it.skip(`skipped: ${reason}`, () => {});

const open = (url: string) => createQdrantVectors({ url, apiKey: null, prefix: 'rivulet-test' });

for (const kind of kinds)
  describe(kind.name, () => {
    let server: RunningQdrant;
    beforeAll(async () => {
      server = await kind.start();
    });
    afterAll(() => server?.stop());
    vectorsSuite(kind.name, async () => open(server.url));
  });

describe.skipIf(missing.length > 0)('a Qdrant that is away', () => {
  const space = { kind: 'notes', model: 'm', dimensions: 2 };
  const vector = Float32Array.of(0, 1);
  const search = { tenantId: 1, scopes: ['a'], vector, limit: 1 };

  it('is a Fault, and is written to again when it is back with nothing in it', async () => {
    const server = await startFront();
    const vectors = open(server.url);
    await vectors.upsert(space, [{ id: 1, tenantId: 1, scopes: ['a'], vector }]);
    await server.stop();
    await expect(vectors.search(space, search)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const back = await startFront(Number(new URL(server.url).port));
    try {
      expect(await vectors.search(space, search)).toEqual([]);
      await vectors.upsert(space, [{ id: 1, tenantId: 1, scopes: ['a'], vector }]);
      expect(await vectors.search(space, search)).toMatchObject([{ id: 1 }]);
    } finally {
      await back.stop();
    }
  });
});
