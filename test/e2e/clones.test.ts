// Clones take memories and rules along: what the caller may read, with the links among them, whole or not at all.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryRecord } from '../../src/groups/memories/record.ts';
import { failure } from '../support/failure.ts';
import { type Person, seedStore } from '../support/people.ts';
import { patience } from '../support/stage.ts';
import { adminKey, request, startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let server: TestServer;
const people: Record<string, Person> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-clones-'));
  await seedStore(folder, async ({ tenant, person }) => {
    const { tenantId } = await tenant('default', adminKey);
    people.member = await person(tenantId, 'Member', 'Member');
  });
  server = await startTestServer({ RIVULET_DATA: folder });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

type Call = (method: string, path: string, body?: unknown) => ReturnType<TestServer['call']>;
const call: Call = (method, path, body) => server.call(method, `/api${path}`, body);
const asMember: Call = (method, path, body) =>
  request(server.url, method, `/api${path}`, body, { authorization: `Bearer ${people.member?.key}` });
const data = async (answer: ReturnType<Call>) => {
  const { body } = await answer;
  expect(body.error ?? null).toBeNull();
  return body.data;
};
let count = 0;
const hire = async () => (await data(call('POST', '/identities', { name: `Source ${++count}` }))).id as number;
const remember = async (id: number, title: string, more: object = {}) =>
  (await data(call('POST', `/identities/${id}/memories`, { title, content: `All about ${title}.`, ...more }))).id;
const clone = (id: number, more: object, by = call) =>
  by('POST', `/identities/${id}/clone`, { name: `Clone ${++count}`, ...more });
const memoriesOf = async (id: number) =>
  (await data(call('GET', `/identities/${id}/memories?sort=id&includeArchived=true`))).items;
const titlesOf = async (id: number) => (await memoriesOf(id)).map(({ title }: { title: string }) => title);
const rulesOf = async (id: number) => (await data(call('GET', `/standing-rules?identityId=${id}`))).items;

it('take memories with their links and provenance, and rules that stand on them', async () => {
  const source = await hire();
  const one = await remember(source, 'the lock', { provenance: 'Verified', isPinned: true, tags: ['water'] });
  const other = await remember(source, 'the weir', { provenance: 'Reported', isShared: true });
  await call('POST', `/memories/${one}/links`, { toMemoryId: other, type: 'Causal', strength: 0.7 });
  const rule = { assertion: 'Never drain the lock.', trigger: 'BeforeToolCall', kind: 'MustNot', identityId: source };
  await data(call('POST', '/standing-rules', { ...rule, groundingMemoryIds: [one] }));
  const { id, isActive } = await data(clone(source, { includeMemories: true, includeRules: true }));
  expect(isActive).toBe(true);
  const copies = await memoriesOf(id);
  expect(copies).toMatchObject([
    { title: 'the lock', provenance: 'Verified', isPinned: true, isShared: false, tags: ['water'], accessCount: 0 },
    { title: 'the weir', provenance: 'Reported', isShared: false },
  ]);
  expect(copies.map((copy: { id: number }) => copy.id)).not.toContain(one);
  const { linksFrom, linksTo } = await data(call('GET', `/memories/${copies[0].id}`));
  expect([...linksFrom, ...linksTo]).toMatchObject([{ toMemoryId: copies[1].id, type: 'Causal' }]);
  const [copied] = await rulesOf(id);
  expect(copied).toMatchObject({ assertion: rule.assertion, status: 'Active', groundingCount: 1, surfacedCount: 0 });
  const detail = await data(call('GET', `/standing-rules/${copied.id}`));
  expect(JSON.stringify(detail)).toContain(`"memoryId":${copies[0].id},`);
  const found = await data(call('GET', `/identities/${id}/memories/search?q=lock&includeShared=false`));
  expect(found.results[0].memory.id).toBe(copies[0].id);
  // The source has what it had.
  expect(await titlesOf(source)).toEqual(['the lock', 'the weir']);
  const check = await data(call('GET', `/standing-rules/check?trigger=BeforeToolCall&identityId=${id}`));
  expect(check.rules).toHaveLength(1);
  const { items } = await data(call('GET', '/audit-events?sort=-id&pageSize=5'));
  expect(JSON.stringify(items)).toContain('IdentitySwarm_clone');
});

it('take of somebody else only what is shared, and nothing of projects that are closed', async () => {
  const source = await hire();
  await remember(source, 'a secret');
  await remember(source, 'a lantern', { isShared: true });
  const project = (await data(call('POST', '/projects', { name: 'Closed' }))).id;
  await remember(source, 'a plan', { isShared: true, projectId: project });
  const { id } = await data(clone(source, { includeMemories: true }, asMember));
  expect(await titlesOf(id)).toEqual(['a lantern']);
  const whole = await data(clone(source, { includeMemories: true }));
  expect(await titlesOf(whole.id)).toEqual(['a secret', 'a lantern', 'a plan']);
  const { body } = await call('POST', `/identities/${people.member?.identityId}/api-keys`, {
    name: 'narrow',
    scopes: ['IdentitiesRead', 'IdentitiesWrite'],
  });
  const narrow: Call = (method, path, sent) =>
    request(server.url, method, `/api${path}`, sent, { authorization: `Bearer ${body.data.rawKey}` });
  await failure(clone(source, { includeMemories: true }, narrow), 403, 'FORBIDDEN');
});

it('are not made where there is more than may go along', async () => {
  const source = await hire();
  const one = await remember(source, 'one of many');
  await server.restart(() =>
    seedStore(folder, async ({ storage: { db, ids } }) => {
      const all = db.collection(memoryRecord.spec);
      const first = await all.findOne({ _id: one });
      if (!first) throw new Error('it is gone');
      const many: (typeof first)[] = [];
      for (let n = 0; n < 1000; n++) many.push({ ...first, _id: await ids.next('memories'), pending: false });
      for (const doc of many) await all.insertOne(doc);
    }),
  );
  const name = `Clone ${++count}`;
  const refused = await call('POST', `/identities/${source}/clone`, { name, includeMemories: true });
  expect([refused.status, refused.body.errorCode]).toEqual([409, 'CONFLICT']);
  expect(refused.body.error).toContain('1000 memories');
  expect((await call('GET', `/identities/by-name/${encodeURIComponent(name)}`)).status).toBe(404);
});

it('are finished after their process has died, and do not act before', async () => {
  const source = await hire();
  for (const title of ['first', 'second', 'third']) await remember(source, title);
  const { id } = await data(clone(source, { includeMemories: true }));
  const copies = await memoriesOf(id);
  const originals = await memoriesOf(source);
  const packed = originals.map((one: { id: number }, at: number) => [one.id, copies[at].id]);
  // As a kill after the first copy leaves it.
  await server.restart(() =>
    seedStore(folder, async ({ storage: { db, auth } }) => {
      const gone = copies.slice(1).map((copy: { id: number }) => copy.id);
      await db.collection(memoryRecord.spec).deleteMany({ _id: { $in: gone } });
      const bags = { own: true, isAgent: false, packed: { includeMemories: packed } };
      const intent = { kind: 'identity.clone', token: 't', sinceUtc: new Date(0), data: bags };
      await auth.identities.updateOne({ _id: id }, { $set: { isActive: false, intent } });
    }),
  );
  const start = () => call('POST', '/agent/runs', { goal: 'x', identityId: id });
  await expect.poll(async () => (await data(call('GET', `/identities/${id}`))).isActive, patience).toBe(true);
  expect(await titlesOf(id)).toEqual(['first', 'second', 'third']);
  expect((await memoriesOf(id)).map((copy: { id: number }) => copy.id)).toEqual(packed.map(([, to]: number[]) => to));
  expect((await start()).status).toBeLessThan(300);
}, 90_000);
