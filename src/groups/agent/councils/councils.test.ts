import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CouncilRecord } from '../../../../runtime/state/council.ts';
import { createMemoryStore } from '../../../../runtime/testing/memory-store.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { agentCouncilsService } from './service.ts';

let world: AgentWorld;
let store: ReturnType<typeof createMemoryStore>;
let api: ReturnType<typeof agentCouncilsService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld();
  store = createMemoryStore();
  api = agentCouncilsService({
    councils: store.councils,
    findRun: world.findRun,
    mayReadChat: async (_, id) => id === 70,
  }).handlers;
  world.addRun({ id: 5 });
});
afterEach(() => world.close());

const insert = (fields: Partial<CouncilRecord>) =>
  store.councils.insert({
    version: 1,
    tenantId: world.tenantId,
    runId: 5,
    chatSessionId: null,
    question: 'North or south?',
    rounds: 2,
    participants: [{ name: 'Ada', role: null, modelId: null, identityId: null }],
    statements: [],
    consensusJson: null,
    status: 'Consensus',
    completedAt: null,
    ...fields,
  } as CouncilRecord);
const get = (id: number) => api.get({ ...noQuery, params: { id }, caller: world.caller, body: undefined });
const list = (query: object = {}, runId = 5) =>
  api.list({ params: { runId }, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });

it('councils of a run are listed newest first, by status, and shown one by one', async () => {
  await insert({ id: 1, createdAt: 1000, completedAt: 9000 });
  await insert({ id: 2, createdAt: 2000, status: 'Voting' });
  await insert({ id: 3, createdAt: 3000, completedAt: 4000 });
  await insert({ id: 4, createdAt: 3000, tenantId: 999, runId: 6 });
  const ids = async (query: object) => (await list(query)).items.map((one) => one.id);
  expect(await ids({})).toEqual([3, 2, 1]);
  expect(await ids({ status: 'Consensus' })).toEqual([3, 1]);
  expect(await ids({ sort: 'completedAtUtc', status: 'Consensus' })).toEqual([3, 1]);
  expect(await list({ sort: 'id', page: 2, pageSize: 2 })).toMatchObject({ totalCount: 3, items: [{ id: 3 }] });
  const one = await get(1);
  expect(one).toMatchObject({ id: 1, completedAtUtc: '1970-01-01T00:00:09.000Z' });
  expect(JSON.parse(one.participantsJson ?? '')).toMatchObject([{ name: 'Ada' }]);
  expect([await codeOf(() => get(4)), await codeOf(() => get(7))]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  expect(await codeOf(() => list({}, 6))).toBe('NOT_FOUND');
});

it('a council of a chat is seen by whose chat it is alone', async () => {
  await insert({ id: 1, createdAt: 1000, runId: null, chatSessionId: 70 });
  await insert({ id: 2, createdAt: 1000, runId: null, chatSessionId: 71 });
  expect((await get(1)).chatSessionId).toBe(70);
  const debate = (id: number) => api.debate({ ...noQuery, params: { id }, caller: world.caller, body: undefined });
  expect(await codeOf(() => debate(1))).toBe('no fault');
  expect([await codeOf(() => get(2)), await codeOf(() => debate(2))]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
});
