// What somebody else keeps to themselves changes nothing for others: no answer, no rank, no count, no work of the store.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Permission } from '../../src/contract/enums.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { startWithPeople } from '../support/people.ts';
import { patience, sceneOf, toReply } from '../support/stage.ts';
import { difference, noteStoreCalls } from '../support/store-calls.ts';
import { registerStranger } from '../support/strangers.ts';
import { request } from '../support/test-server.ts';

type World = Awaited<ReturnType<typeof startWithPeople>>;

const question = 'When does the sluice of Vantrell open?';
const asked = encodeURIComponent(question);
const answer = 'The sluice of Vantrell opens at dawn, says Maris Holt.';
/** Only in what others keep to themselves. */
const secret = 'quorblax';
const perfect = `${question} The sluice of Vantrell opens at dawn, says Maris Holt. ${secret}`;

let world: World;
let model: FakeServer;
let strangerKey: string;
const storeCalls = noteStoreCalls();
const ids: Record<string, number> = {};

beforeAll(async () => {
  model = await startFakeServer();
  model.otherwise = (seen) => {
    const { turn } = sceneOf(seen);
    return turn === 0
      ? toReply({ calls: [['memory_search', { query: question }]] }, turn)
      : toReply({ calls: [['run_complete', { summary: 'Done.' }]] }, turn);
  };
  world = await startWithPeople(
    [],
    { Asker: 'Member', Keeper: 'Member' },
    {
      environment: environmentOf(model),
      scopes: Permission.options,
    },
  );
  strangerKey = await registerStranger(world.server, 'stranger');
  await furnish();
});
afterAll(async () => {
  await world.close();
  await model.close();
  storeCalls.stop();
});

type Call = (method: string, path: string, body?: unknown) => ReturnType<World['as']>;
const of = (call: Call) => async (method: string, path: string, body?: unknown) => {
  const { body: said } = await call(method, `/api${path}`, body);
  expect([path, said.error ?? null]).toEqual([path, null]);
  return said.data;
};
const asker = of((...call) => world.as('Asker', ...call));
const keeper = of((...call) => world.as('Keeper', ...call));
const stranger = of((method, path, body) =>
  request(world.server.url, method, path, body, { authorization: `Bearer ${strangerKey}` }),
);
const me = () => world.person('Asker').identityId;
const them = () => world.person('Keeper').identityId;

/** What everybody of the tenant may know, and what the asker knows. */
async function furnish() {
  const own = { title: 'Sluice', content: answer, tags: ['water'] };
  ids.own = (await asker('POST', `/identities/${me()}/memories`, own)).id;
  const lent = { title: 'Vantrell', content: 'Vantrell has a sluice and a mill.', isShared: true, isPinned: true };
  ids.lent = (await asker('POST', `/identities/${me()}/memories`, lent)).id;
  const shared = { title: 'Keeper of the sluice', content: `${answer} Boats wait below.`, isShared: true };
  ids.shared = (await keeper('POST', `/identities/${them()}/memories`, shared)).id;
  for (const [call, content] of [
    [asker, 'I like the sluice of Vantrell at dawn.'],
    [keeper, 'I like boats.'],
  ] as const)
    await call('POST', '/personal-memories', { content });
  ids.node = (await asker('POST', '/graph/nodes', { name: 'Vantrell', kind: 'Place' })).id;
  ids.other = (await asker('POST', '/graph/nodes', { name: 'Maris Holt', kind: 'Person' })).id;
  ids.mill = (await asker('POST', '/graph/nodes', { name: 'Mill', kind: 'Place' })).id;
  await asker('POST', '/graph/edges', { fromNodeId: ids.node, toNodeId: ids.other, relation: 'KnownTo' });
  await asker('POST', '/graph/edges', { fromNodeId: ids.node, toNodeId: ids.mill, relation: 'Has' });
  await asker('POST', '/standing-rules', {
    assertion: 'Never open the sluice.',
    trigger: 'BeforeToolCall',
    kind: 'Must',
  });
  await asker('POST', '/agent-memories', { title: 'Sluice', content: answer, kind: 'Lesson' });
  await asker('POST', '/knowledge/goals', { topic: 'The sluice of Vantrell' });
  await asker('PUT', `/identities/${me()}/interests`, { interests: [{ topic: 'water', weight: 1 }] });
  const { id } = await asker('POST', '/projects', { name: 'Water' });
  ids.project = id;
  await asker('POST', `/projects/${id}/facts`, { key: 'sluice', value: 'opens at dawn', isCritical: true });
  await settled();
}

/** What fits the question best of all, and is nobody else's. */
async function plant(call: typeof keeper, identityId: number, near: readonly number[]) {
  const secrets: number[] = [];
  for (const [title, content] of [
    [question, perfect],
    ['Keeper of the sluice', `${answer} Boats wait below ${secret}.`],
    ['Vantrell', `Vantrell has a sluice and a mill, and Maris Holt runs the ${secret}.`],
  ]) {
    const body = { title, content, tags: ['water', secret], importance: 10, isPinned: true };
    const { id } = await call('POST', `/identities/${identityId}/memories`, body);
    secrets.push(id);
    for (const toMemoryId of near) await call('POST', `/memories/${id}/links`, { toMemoryId, strength: 1 });
  }
  await call('POST', '/personal-memories', { content: perfect, importance: 10 });
  await call('PUT', `/identities/${identityId}/interests`, { interests: [{ topic: secret, weight: 1 }] });
  return secrets;
}

async function plantAll() {
  const secrets = await plant(keeper, them(), [ids.shared as number, ids.lent as number]);
  const { id } = await keeper('POST', '/graph/nodes', {
    name: `Vantrell ${secret}`,
    kind: 'Place',
    identityId: them(),
  });
  for (const [fromNodeId, toNodeId] of [
    [id, ids.node],
    [ids.other, id],
    [id, ids.mill],
  ])
    await keeper('POST', '/graph/edges', { fromNodeId, toNodeId, relation: 'Has', sourceMemoryId: secrets[0] });
  // A relation of what everybody sees that only a private memory tells of.
  const said = { fromNodeId: ids.other, toNodeId: ids.mill, relation: 'Owns', sourceMemoryId: secrets[0] };
  await keeper('POST', '/graph/edges', said);
  const { identity } = await stranger('GET', '/auth/me');
  await plant(stranger, identity.id, []);
  await settled();
  return secrets;
}

/** Everything has its vector, and is in the graph. */
const settled = () =>
  vi.waitFor(async () => {
    const own = await asker('GET', `/identities/${me()}/memories`);
    const theirs = await keeper('GET', `/identities/${them()}/memories`);
    for (const { hasEmbedding } of [...own.items, ...theirs.items]) expect(hasEmbedding).toBe(true);
    expect((await asker('GET', '/graph/nodes?q=Holt')).items[0].mentionCount).toBeGreaterThan(0);
  }, patience);

/** An answer as it can be compared: without times, and numbers to what a moment more does not change. */
const comparable = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data, (key, value) => {
      if (/Utc$|^tookMs$|^requestId$/.test(key)) return undefined;
      return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1000) / 1000 : value;
    }),
  );

const probes = (): readonly string[] => [
  ...[me(), them()].flatMap((id) => [
    `/identities/${id}/memories/search?q=${asked}`,
    `/identities/${id}/memories/search?q=${asked}&linkExpansionDepth=3&limit=50`,
    `/identities/${id}/memories/search?q=${asked}&mode=Keyword&includeArchived=true`,
    `/identities/${id}/memories/search?q=${asked}&mode=Semantic`,
    `/identities/${id}/memories/search?q=${secret}`,
    `/identities/${id}/memories?q=sluice`,
    `/identities/${id}/memories/pinned`,
    `/identities/${id}/memories/recent`,
    `/identities/${id}/summary`,
  ]),
  `/memories/${ids.shared}?countAccess=false`,
  `/memories/${ids.shared}/history`,
  `/memories/${ids.lent}?countAccess=false`,
  ...['Hybrid', 'Keyword', 'Semantic'].map((mode) => `/search?q=${asked}&mode=${mode}&limit=50`),
  `/search?q=${secret}`,
  '/personal-memories',
  `/personal-memories/search?q=${asked}`,
  '/personal-memories/suggestions',
  `/agent-memories/search?q=${asked}`,
  '/graph/nodes?sort=-degree',
  '/graph/nodes?minDegree=2',
  `/graph/nodes?q=Vantrell`,
  ...[ids.node, ids.other, ids.mill].map((id) => `/graph/nodes/${id}?includeExpired=true`),
  `/graph/subgraph?nodeId=${ids.node}&depth=6&metrics=true`,
  `/graph/subgraph?nodeId=${ids.other}&targetNodeId=${ids.mill}&metrics=true`,
  `/graph/subgraph?q=${asked}&metrics=true`,
  '/graph/subgraph?metrics=true',
  `/identities/${me()}/interests`,
  '/standing-rules/check?trigger=BeforeToolCall&toolName=memory_search',
  `/standing-rules/search?q=${asked}`,
  '/standing-rules/stale',
  '/knowledge/goals',
  '/knowledge/goals/next',
  `/projects/${ids.project}/facts/search?q=${asked}`,
  `/identities/${me()}/hydration?query=${asked}&projectId=${ids.project}`,
  `/identities/${me()}/hydration?query=${asked}&format=Markdown&tokenBudget=500`,
];

/** Reads of one memory look at the links of others too, and leave out what is not theirs to show. */
const readsOne = (path: string) => /^\/memories\/\d+\?/.test(path);

/** The system text of what a run or chat of the asker is told, and what its tools answer. */
async function told() {
  const from = model.requests.length;
  const run = await asker('POST', '/agent/runs', { goal: question, identityId: me(), autoStart: true });
  await vi.waitFor(
    async () => expect((await asker('GET', `/agent/runs/${run.id}`)).status).toBe('Completed'),
    patience,
  );
  const chat = await asker('POST', '/chat/sessions', { identityId: me() });
  await asker('POST', `/chat/sessions/${chat.id}/chat`, { message: question });
  return model.requests
    .slice(from)
    .map(sceneOf)
    .map(({ system, results }) => ({ system, results }));
}

interface Seen {
  answers: unknown[];
  work: string[];
}

describe('what others keep to themselves', () => {
  const before = new Map<string, Seen>();
  let replayed: unknown;
  let toldBefore: Awaited<ReturnType<typeof told>>;
  let receipt = 0;

  const see = async (path: string): Promise<Seen> => {
    const answers: unknown[] = [];
    const work = await storeCalls.during(async () => answers.push(comparable(await asker('GET', path))));
    return { answers, work };
  };
  const replay = async () =>
    comparable(await asker('POST', `/identities/${me()}/hydration/receipts/${receipt}/replay`, { without: [] }));

  beforeAll(async () => {
    toldBefore = await told();
    // The end of the run says that what it was told has helped.
    await vi.waitFor(async () => {
      const [lesson] = (await asker('GET', '/agent-memories')).items;
      expect(lesson.helpedCount).toBe(1);
    }, patience);
    receipt = (await asker('GET', `/identities/${me()}/hydration/receipts?sort=-id`)).items[0].id;
    replayed = await replay();
    for (const path of probes()) {
      // The first fills caches; what the server does besides is in no two that are the same.
      let [last, next] = [await see(path), await see(path)];
      while (difference(last.work, next.work).length > 0) [last, next] = [next, await see(path)];
      before.set(path, next);
    }
    await plantAll();
  }, 120_000);

  it('is there for its owner, and would be the best answer', async () => {
    const { results } = await keeper('GET', `/identities/${them()}/memories/search?q=${asked}`);
    expect(results[0].memory.title).toBe(question);
  });

  it('changes no answer, and no work of the store, of anything that searches, walks, suggests or hydrates', async () => {
    const wrong: unknown[] = [];
    for (const path of probes()) {
      const first = before.get(path) as Seen;
      let now = await see(path);
      // What the server does besides is over at another try.
      for (let tries = 0; tries < 50 && difference(now.work, first.work).length > 0; tries++) now = await see(path);
      const [said, says] = [JSON.stringify(first.answers), JSON.stringify(now.answers)];
      const at = Math.max(0, [...says].findIndex((letter, index) => letter !== said[index]) - 80);
      if (says !== said) wrong.push({ path, said: said.slice(at, at + 200), says: says.slice(at, at + 200) });
      const work = readsOne(path) ? [] : difference(now.work, first.work);
      if (work.length > 0) wrong.push({ path, work });
    }
    expect(wrong).toEqual([]);
  });

  it('is in no replay, no prompt and no answer of a tool', async () => {
    expect(await replay()).toEqual(replayed);
    expect(JSON.stringify(await told())).not.toContain(secret);
    expect(toldBefore.length).toBeGreaterThan(2);
  });
});
