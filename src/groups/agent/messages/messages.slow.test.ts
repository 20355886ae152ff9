import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdentityDto } from '../../identities/dto.ts';
import { type AgentWorld, codeOf, createAgentWorld, noQuery, paging, request } from '../testing/world.ts';
import { agentMessagesService } from './service.ts';

let world: AgentWorld;
let ada: IdentityDto;
let api: ReturnType<typeof agentMessagesService>['handlers'];
beforeEach(async () => {
  world = await createAgentWorld();
  ada = await world.addIdentity('Ada');
  const { inbox, acting, findRun } = world;
  api = agentMessagesService({ inbox, acting, findRun }).handlers;
  world.addRun({ id: 5, identityId: ada.id, projectId: 3 });
  world.events();
});
afterEach(() => world.close());

const create = (body: { content: string; [field: string]: unknown }, caller = world.caller) =>
  api.create({ ...noQuery, params: { runId: 5 }, caller, body });
const list = (query: object = {}) =>
  api.list({ params: { runId: 5 }, caller: world.caller, body: undefined, query: { ...paging, ...query }, request });

describe('messages to a run', () => {
  it('reach the run, its identity and its watchers', async () => {
    const message = await create({ content: 'Faster', priority: 'High', type: 'Request' });
    expect(message).toMatchObject({ senderName: 'Administrator', type: 'Request', priority: 'High', replyCount: 0 });
    expect(world.engine.read).toEqual([{ runId: 5, text: 'Faster', key: `message:${message.id}` }]);
    expect(world.published.find((one) => one.type === 'run.message')).toMatchObject({
      topics: ['run:5'],
      data: message,
    });
    expect(world.published.find((one) => one.type === 'message.received')?.data).toMatchObject({
      runId: 5,
      projectId: 3,
    });
    expect(await world.inbox.unread(world.tenantId, ada.id)).toBe(1);
  });

  it('are no news to whoever speaks to a run of their own', async () => {
    world.addRun({ id: 5, identityId: world.administrator._id });
    await create({ content: 'Faster' });
    expect(await world.inbox.unread(world.tenantId, world.administrator._id)).toBe(0);
    expect(world.engine.read).toHaveLength(1);
    expect(world.events().map((event) => event.split(' ')[0])).toEqual(['run.message', 'message.sent']);
  });

  it('are listed newest first, by type and time', async () => {
    const first = await create({ content: 'One' });
    await world.clock.advance(1000);
    const second = await create({ content: 'Two', type: 'Question' });
    expect((await list()).items).toEqual([second, first]);
    expect((await list({ type: 'Question' })).items).toEqual([second]);
    expect((await list({ sinceUtc: '2026-01-01T00:00:01Z' })).items).toEqual([second]);
    expect((await list({ sort: 'createdAtUtc' })).items).toEqual([first, second]);
  });

  it('are refused when the run has ended', async () => {
    world.addRun({ id: 5, identityId: ada.id, status: 'Completed' });
    expect(await codeOf(() => create({ content: 'Too late' }))).toBe('INVALID_TRANSITION');
    expect((await list()).totalCount).toBe(0);
  });

  it('are sent as oneself or as an identity of one’s own', async () => {
    const asAda = world.as(ada);
    expect(await codeOf(() => create({ content: 'x', senderId: world.administrator._id }, asAda))).toBe(
      'OWNERSHIP_REQUIRED',
    );
    expect(await codeOf(() => create({ content: 'x', senderId: 999 }, asAda))).toBe('NOT_FOUND');
    const { userId } = world.administrator;
    const nobody = { ...world.caller, identityId: null, userId };
    expect(await codeOf(() => create({ content: 'x' }, nobody))).toBe('VALIDATION_FAILED');
    expect((await create({ content: 'x', senderId: world.administrator._id }, nobody)).senderName).toBe(
      'Administrator',
    );
  });
});
