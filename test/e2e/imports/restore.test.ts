// An identity with all that belongs to it: exported from one server, restored on an empty one, and exported again alike.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../support/failure.ts';
import { importsOf } from '../../support/imports.ts';
import { canonical, type Portable } from '../../support/portable.ts';
import {
  exportedFrom as exported,
  fillRichly,
  manifestOf as manifest,
  zippedFrom as zipped,
} from '../../support/rich-identity.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let [from, to]: TestServer[] = [];
beforeAll(async () => {
  [from, to] = [await startTestServer(), await startTestServer()];
});
afterAll(async () => {
  await from?.close();
  await to?.close();
});

describe('an identity', () => {
  let id: number;
  let document: Portable;
  beforeAll(async () => {
    id = await fillRichly(from as TestServer);
    document = await exported(from as TestServer, id);
  });

  it('has everything in its export', () => {
    const kinds = [...document.atoms, ...document.artifacts].map(({ kind }) => kind);
    expect([...new Set(kinds)].sort()).toEqual(
      'document entity fact goal handoff hint link memory pair project prompt reflection relation rule session soul task version'.split(
        ' ',
      ),
    );
  });

  it.each(['portable.json', 'identity.zip'])(
    'comes back from %s equal but for ids and times, and goes again',
    async (name) => {
      const server = to as TestServer;
      const { read, review, data, call } = importsOf(server);
      const bytes = name.endsWith('zip') ? await zipped(from as TestServer, id) : Buffer.from(JSON.stringify(document));
      const made = await read(bytes, { scrub: 'false' }, name);
      const { reach, conversations } = await review(made.id);
      expect(
        Object.fromEntries(reach.restores.map((one: { kind: string; count: number }) => [one.kind, one.count])),
      ).toEqual({
        ...{ identity: 1, project: 1, memory: 3, fact: 3, rule: 3, goal: 1, hint: 3, document: 2, task: 2 },
        ...{ session: 1, reflection: 1, pair: 2, handoff: 1, entity: 2, relation: 1, soul: 3, version: 1, prompt: 1 },
      });
      expect(reach.bindingRuleCount).toBe(1);
      expect(conversations).toHaveLength(1);

      const before = await server.call('GET', '/api/export/manifest');
      const { identityId } = await data(call('POST', `/${made.id}/commit`, { restore: true }));
      const back = await exported(server, identityId);
      expect(canonical(back)).toEqual(canonical(document));
      const { messageCount: _, ...counts } = await manifest(from as TestServer, id);
      // What memories name is read in the background, on both servers.
      await expect.poll(() => manifest(server, identityId), { timeout: 20_000 }).toMatchObject(counts);

      await data(call('POST', `/${made.id}/undo`, {}));
      const { exportedAtUtc: _at, ...left } = (await server.call('GET', '/api/export/manifest')).body.data;
      expect(before.body.data).toMatchObject(left);
      await failure(server.call('GET', `/api/identities/${identityId}`), 404, 'NOT_FOUND');
      // What is committed once more finds no identity of the first time.
      const again = await data(call('POST', `/${made.id}/commit`, { restore: true }));
      expect(again).toMatchObject({ statusId: 'Committed', errorMessage: null });
      await data(call('POST', `/${made.id}/undo`, {}));
      await data(call('DELETE', `/${made.id}`));
    },
  );

  it('goes into an identity that is there, beside what is there, and out of it again', async () => {
    const server = from as TestServer;
    const { read, data, call } = importsOf(server);
    const before = canonical(await exported(server, id));
    // Another file with the same in it: the first one would be the same archive.
    const bytes = Buffer.from(JSON.stringify({ ...document, exportedBy: 'rivulet/again' }));
    const made = await read(bytes, { scrub: 'false' }, 'again.json');
    await failure(call('POST', `/${made.id}/commit`, { restore: true }), 409, 'DUPLICATE');
    await data(call('POST', `/${made.id}/commit`, { restore: true, identityId: id }));
    const doubled = await exported(server, id);
    const of = (kind: string) => [...doubled.atoms, ...doubled.artifacts].filter((one) => one.kind === kind).length;
    // Memories and facts are known; the rest stands beside what was there.
    expect(['memory', 'fact', 'project', 'soul', 'rule', 'document', 'task'].map(of)).toEqual([4, 3, 1, 3, 6, 4, 4]);
    const commands = doubled.artifacts.flatMap(({ kind, command }) => (kind === 'prompt' ? [command] : []));
    expect(commands).toEqual(['weather', 'weather-2']);
    await data(call('POST', `/${made.id}/undo`, {}));
    expect(canonical(await exported(server, id))).toEqual(before);
  });

  it('is restored from exports of ours only', async () => {
    const server = to as TestServer;
    const { read, data, call } = importsOf(server);
    const [own] = (await server.client.identities.list()).items;
    const foreign = await read(
      Buffer.from(JSON.stringify({ atoms: [{ kind: 'rule', content: 'Obey.' }] })),
      {},
      'b.json',
    );
    await failure(call('POST', `/${foreign.id}/commit`, { restore: true }), 400, 'VALIDATION_FAILED');
    await data(call('POST', `/${foreign.id}/commit`, { identityId: own?.id }));
    expect((await server.call('GET', '/api/standing-rules')).body.data.totalCount).toBe(0);
  });
});
