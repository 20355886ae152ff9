// The log of a server that is killed: what was stored is there again, whole and in order, and numbers go on after it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

const patience = { timeout: 30_000, interval: 50 };
let server: ChildServer;
beforeAll(async () => {
  server = await createChildServer({ RIVULET_LOG: 'info' });
  await server.start();
});
afterAll(() => server.close());

const api = () => createClient({ baseUrl: server.baseUrl, token: server.key });
const write = (word: string) => fetch(`${server.baseUrl}/api/nowhere/${word}`);
/** Words that the log has, the oldest first. */
async function words(): Promise<{ id: number; word: string }[]> {
  const { items } = await api().systemLogs.list({ query: { q: 'nowhere/', sort: 'id', pageSize: 200 } });
  return items.map(({ id, propertiesJson }) => ({
    id,
    word: String(JSON.parse(propertiesJson ?? '{}').path).replace('/api/nowhere/', ''),
  }));
}

it('has every line up to the last flush after kill -9, none twice, and goes on', async () => {
  const expected: string[] = [];
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 20; i++) {
      await write(`stored-${round}-${i}`);
      expected.push(`stored-${round}-${i}`);
    }
    await expect.poll(async () => (await words()).some(({ word }) => word === expected.at(-1)), patience).toBe(true);
    // These may be in the middle of being stored, or wait for it.
    await Promise.all([0, 1, 2].map((i) => write(`late-${round}-${i}`)));
    await server.kill();
    await server.start();
    const found = await words();
    expect(found.map(({ word }) => word).filter((word) => word.startsWith('stored'))).toEqual(expected);
    expect(new Set(found.map(({ word }) => word)).size).toBe(found.length);
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  }
});

it('loses nothing where it is stopped in order', async () => {
  for (let i = 0; i < 5; i++) await write(`stopped-${i}`);
  await server.stop();
  await server.start();
  const found = (await words()).map(({ word }) => word).filter((word) => word.startsWith('stopped'));
  expect(found).toEqual([0, 1, 2, 3, 4].map((i) => `stopped-${i}`));
});
