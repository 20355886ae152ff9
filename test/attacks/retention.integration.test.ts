// Old runs are deleted with all that hangs on them on MongoDB's protocol too.
import { expect, it, onTestFinished } from 'vitest';
import { openMongoDb } from '../../src/stores/mongo/db.ts';
import { createChildServer } from '../support/child-server.ts';
import { addOldRuns, countOf } from '../support/old-runs.ts';
import { onEachServer } from '../support/servers/each.ts';
import { configured, mongoJavaServer } from '../support/servers/mongo.ts';
import { request } from '../support/test-server.ts';

await onEachServer('retention', [configured, mongoJavaServer], (kind) => {
  it(`old runs go on ${kind.name}`, async () => {
    const mongo = await kind.start();
    onTestFinished(() => mongo.stop());
    const uri = new URL(mongo.uri);
    uri.pathname = `/retention_${Date.now()}`;
    const server = await createChildServer({ MONGODB_URI: uri.href, RIVULET_RUNS_KEPT_DAYS: '30' });
    onTestFinished(() => server.close());
    const call = async (method: string, path: string, body?: object) => {
      const answer = await request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });
      return answer.body.data;
    };
    await server.start();
    const { id } = await call('POST', '/api/agent/runs', { goal: 'Be copied.' });
    await call('POST', `/api/agent/runs/${id}/notes`, { content: 'Noted.' });
    await call('POST', `/api/agent/runs/${id}/cancel`);
    await server.stop();
    const db = await openMongoDb({ uri: uri.href });
    onTestFinished(() => db.close());
    const before = await countOf(db);
    await addOldRuns(db, id, { count: 300, days: 31 });
    await server.start();
    await expect.poll(async () => (await countOf(db)).agent_runs, { timeout: 110_000 }).toBe(before.agent_runs);
    await expect.poll(() => countOf(db)).toEqual(before);
    expect((await call('GET', `/api/agent/runs/${id}`)).notes).toHaveLength(1);
  });
});
