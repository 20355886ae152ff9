import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EscalationRecord } from '../../../../runtime/state/escalation.ts';
import type { Resolution } from '../../../../runtime/systems/escalations/decisions.ts';
import { createMemoryStore } from '../../../../runtime/testing/memory-store.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { agentEscalationsService } from './service.ts';

let world: AgentWorld;
let store: ReturnType<typeof createMemoryStore>;
let api: ReturnType<typeof agentEscalationsService>['handlers'];
let asked: object[];
let decided: Resolution[];

const escalation = (fields: Partial<EscalationRecord>): EscalationRecord =>
  ({
    id: 1,
    guid: '00000000-0000-4000-8000-000000000000',
    version: 1,
    tenantId: world.tenantId,
    runId: 5,
    situation: 'North or south?',
    status: 'AwaitingHuman',
    urgency: 'Normal',
    kind: null,
    timeoutAt: null,
    resolvedAt: null,
    createdAt: world.clock.now(),
    ...fields,
  }) as EscalationRecord;

beforeEach(async () => {
  world = await createAgentWorld();
  store = createMemoryStore();
  asked = [];
  decided = [];
  const engine = {
    escalate: async (runId: number, draft: object) => {
      asked.push({ runId, ...draft });
      return escalation({ id: 9, runId });
    },
    resolveEscalation: async (id: number, resolution: Resolution) => {
      decided.push(resolution);
      return escalation({ id, status: 'Resolved', decision: resolution.decision });
    },
  };
  api = agentEscalationsService({
    engine,
    escalations: store.escalations,
    findRun: world.findRun,
    clock: world.clock,
  }).handlers;
  world.addRun({ id: 5 });
});
afterEach(() => world.close());

const list = (query: object = {}) =>
  api.list({ params: {}, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });
const resolve = (id: number, body: { decision: string; [field: string]: unknown }) =>
  api.resolve({ ...noQuery, params: { id }, caller: world.caller, body });
const create = (body: { situation: string; [field: string]: unknown }, runId = 5) =>
  api.create({ ...noQuery, params: { runId }, caller: world.caller, body });

describe('escalations', () => {
  it('that need a person are decided by no council and no agent', async () => {
    await store.escalations.insert(escalation({ kind: 'elicitation', needsPerson: true }));
    const by = (who: { kind: 'Run' } | { role: 'Agent' }) =>
      api.resolve({ ...noQuery, params: { id: 1 }, caller: { ...world.caller, ...who }, body: { decision: 'done' } });
    expect(await codeOf(() => resolve(1, { decision: 'done', resolutionMode: 'Council' }))).toBe('FORBIDDEN');
    expect(await codeOf(() => by({ role: 'Agent' }))).toBe('FORBIDDEN');
    expect(await codeOf(() => by({ kind: 'Run' }))).toBe('FORBIDDEN');
    expect(decided).toEqual([]);
    await resolve(1, { decision: 'done' });
    expect(decided).toMatchObject([{ decision: 'done' }]);
  });

  it('are listed newest first, by filter, in the own tenant only', async () => {
    const open = await store.escalations.insert(escalation({ id: 1, createdAt: 1000, urgency: 'High' }));
    await store.escalations.insert(escalation({ id: 2, createdAt: 2000, status: 'Resolved', resolvedAt: 3000 }));
    await store.escalations.insert(escalation({ id: 3, createdAt: 3000, tenantId: 999 }));
    const all = await list();
    expect(all).toMatchObject({
      totalCount: 2,
      items: [{ id: 2, resolvedAtUtc: '1970-01-01T00:00:03.000Z' }, { id: 1 }],
    });
    const ids = async (query: object) => (await list(query)).items.map((one) => one.id);
    expect(await ids({ openOnly: true })).toEqual([open.id]);
    expect(await ids({ urgencyId: 'High' })).toEqual([1]);
    expect(await ids({ fromUtc: '1970-01-01T00:00:02Z' })).toEqual([2]);
    expect(await ids({ sort: 'createdAtUtc' })).toEqual([1, 2]);
    expect(await ids({ sort: '-id', page: 2, pageSize: 1 })).toEqual([1]);
  });

  it('are decided by who is signed in, whatever they ask for', async () => {
    await store.escalations.insert(escalation({ id: 1 }));
    expect(await resolve(1, { decision: 'North', decisionNotes: 'It is cooler.' })).toMatchObject({ id: 1 });
    expect(decided).toEqual([
      {
        decision: 'North',
        notes: 'It is cooler.',
        key: null,
        by: 'Administrator',
        mode: 'Human',
        requestRevision: false,
        rememberAsRule: false,
        argumentsJson: null,
      },
    ]);
    expect(await codeOf(() => resolve(1, { decision: 'x', resolutionMode: 'Timeout' }))).toBe('VALIDATION_FAILED');
  });

  it('are remembered when there is a decision of a run to remember', async () => {
    await store.escalations.insert(escalation({ id: 1 }));
    await store.escalations.insert(escalation({ id: 2, runId: null, chatSessionId: 4 }));
    await resolve(1, { decision: 'North', rememberAsRule: true });
    expect(decided).toMatchObject([{ rememberAsRule: true }]);
    const codes = [
      await codeOf(() => resolve(1, { decision: 'Again', rememberAsRule: true, requestRevision: true })),
      await codeOf(() => resolve(1, { decision: 'North', rememberAsRule: true, resolutionMode: 'Council' })),
      await codeOf(() => resolve(2, { decision: 'approve', rememberAsRule: true })),
    ];
    expect(codes).toEqual(['VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED']);
  });

  it('take arguments with approvals only, as an object', async () => {
    await store.escalations.insert(escalation({ id: 1 }));
    await store.escalations.insert(escalation({ id: 2, kind: 'toolApproval' }));
    await store.escalations.insert(escalation({ id: 3, tenantId: 999 }));
    const codes = [
      await codeOf(() => resolve(1, { decision: 'approve', argumentsJson: '{}' })),
      await codeOf(() => resolve(2, { decision: 'approve', argumentsJson: '{' })),
      await codeOf(() => resolve(2, { decision: 'approve', argumentsJson: '[]' })),
      await codeOf(() => resolve(2, { decision: 'approve', argumentsJson: '{"command":"ls"}' })),
      await codeOf(() => resolve(3, { decision: 'approve' })),
      await codeOf(() => resolve(4, { decision: 'approve' })),
    ];
    const wrong = 'VALIDATION_FAILED';
    expect(codes).toEqual([wrong, wrong, wrong, 'no fault', 'NOT_FOUND', 'NOT_FOUND']);
  });

  it('are raised on a run of the own tenant; a time without a recommendation lets it go on', async () => {
    const timeoutAtUtc = new Date(world.clock.now() + 60_000).toISOString();
    await create({ situation: 'Stop?' });
    await create({ situation: 'Stop?', timeoutAtUtc, optionsJson: '["yes"]' });
    await create({ situation: 'Stop?', timeoutAtUtc, supervisorRecommendation: 'yes', urgencyId: 'Critical' });
    expect(asked).toMatchObject([
      { runId: 5, urgency: 'Normal', timeoutAt: null, timeoutAction: 'KeepWaiting' },
      { timeoutAt: world.clock.now() + 60_000, timeoutAction: 'Proceed', optionsJson: '["yes"]' },
      { timeoutAction: 'UseRecommendation', urgency: 'Critical' },
    ]);
    const past = new Date(world.clock.now()).toISOString();
    expect(await codeOf(() => create({ situation: 'Stop?', timeoutAtUtc: past }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => create({ situation: 'Stop?', optionsJson: 'yes' }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(() => create({ situation: 'Stop?' }, 6))).toBe('NOT_FOUND');
  });
});
