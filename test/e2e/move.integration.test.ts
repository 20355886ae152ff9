// From the embedded store to MongoDB, as an operator does it who outgrows one machine.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { onEachServer } from '../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../support/servers/mongo.ts';
import { request } from '../support/test-server.ts';

const root = resolve(import.meta.dirname, '../..');

await onEachServer('a move', [configured, ferretdb, mongoJavaServer], (kind) => {
  describe(`a move to ${kind.name}`, () => {
    let mongo: Awaited<ReturnType<typeof kind.start>>;
    let before: ChildServer;
    let environment: Record<string, string>;
    const opened: ChildServer[] = [];
    const serverOn = async (more: Record<string, string> = {}) => {
      const server = await createChildServer(more);
      opened.push(server);
      return server;
    };

    beforeAll(async () => {
      mongo = await kind.start();
      const uri = new URL(mongo.uri);
      uri.pathname = `/moved_${Date.now()}`;
      before = await serverOn();
      environment = { RIVULET_DATA: before.folder, MONGODB_URI: uri.href };
    }, 300_000);
    afterAll(async () => {
      for (const server of opened) await server.close();
      const client = new MongoClient(environment.MONGODB_URI as string);
      await client.db().dropDatabase();
      await client.close();
      await mongo.stop();
    });

    const command = async () =>
      promisify(execFile)(process.execPath, ['dist/server/cli/rivulet.js', 'move', '--json'], {
        cwd: root,
        env: { PATH: process.env.PATH, ...environment },
      });

    it('takes along what there is, after a start that would have had nothing was refused', async () => {
      await before.start();
      const client = createClient({ baseUrl: before.baseUrl, token: before.key });
      const { identity } = await client.auth.me();
      const run = await client.agentRuns.create({ body: { goal: 'Say hello' } });
      const about = { params: { identityId: identity?.id ?? 0 } };
      const tea = await client.memories.create({ ...about, body: { title: 'Tea', content: 'Likes a pot of oolong.' } });
      // From here on nothing of it waits for its words.
      const reindex = { task: 'ReindexEmbeddings' as const };
      expect((await client.maintenance.start({ body: reindex })).state).toBe('Succeeded');
      const at = `/api/agent/runs/${run.id}`;
      const shown = (server: ChildServer, path: string) =>
        request(server.baseUrl, 'GET', path, undefined, { authorization: `Bearer ${server.key}` });
      const { data } = (await shown(before, at)).body;
      await expect(command()).rejects.toMatchObject({ stderr: expect.stringContaining('Another process') });
      await before.stop();

      const after = await serverOn(environment);
      await expect(after.start()).rejects.toThrow('"rivulet move"');
      expect(JSON.parse((await command()).stdout)).toMatchObject({ documents: expect.any(Number) });
      await after.start();
      expect((await shown(after, at)).body.data).toEqual(data);
      const there = createClient({ baseUrl: after.baseUrl, token: after.key });
      const found = async () => (await there.memories.search({ ...about, query: { q: 'oolong' } })).results;
      await expect.poll(async () => (await found()).map(({ memory }) => memory.id)).toEqual([tea.id]);
      const next = await there.agentRuns.create({ body: { goal: 'Say hello' } });
      expect(next.id).toBeGreaterThan(run.id);
      expect((await shown(after, '/api/audit-events')).body.data.items.length).toBeGreaterThan(0);
      await after.stop();
    });

    it('is not undone by a start without MONGODB_URI', async () => {
      await expect(before.start()).rejects.toThrow('were moved to MongoDB');
    });
  });
});
