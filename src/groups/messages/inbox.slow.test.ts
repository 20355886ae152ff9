import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { type AgentWorld, codeOf, createAgentWorld } from '../agent/testing/world.ts';
import type { IdentityDto } from '../identities/dto.ts';
import { entrySpec } from './documents.ts';

let world: AgentWorld;
let ada: IdentityDto;
let bob: IdentityDto;
beforeEach(async () => {
  world = await createAgentWorld();
  ada = await world.addIdentity('Ada');
  bob = await world.addIdentity('Bob');
  world.events();
});
afterEach(() => world.close());

const say = (content: string, more: object = {}) =>
  world.inbox.send({ tenantId: world.tenantId, senderId: ada.id, recipientIds: [bob.id], content, ...more });
const unreadOf = (identity: IdentityDto) => world.inbox.unread(world.tenantId, identity.id);
const read = (identity: IdentityDto, which: object = {}) =>
  world.inbox.markRead({ tenantId: world.tenantId, identityId: identity.id, ...which });

describe('sending', () => {
  it('puts a message into the mailbox of each recipient and announces it', async () => {
    const { message } = await say('Hello');
    expect(message).toMatchObject({
      senderId: ada.id,
      senderName: 'Ada',
      content: 'Hello',
      type: 'Text',
      recipients: [{ identityId: bob.id, identityName: 'Bob', readAtUtc: null, rejectedReason: null }],
    });
    expect(message.recipients[0]?.deliveredAtUtc).toBe('2026-01-01T00:00:00.000Z');
    expect(world.published.find((one) => one.type === 'inbox.count')?.data).toEqual({
      identityId: bob.id,
      unreadMessages: 1,
      pendingReplyCount: 0,
    });
    expect(world.published.find((one) => one.type === 'message.received')?.data).toMatchObject({
      id: message.id,
      threadTitle: null,
      requiresReply: false,
      readAtUtc: null,
    });
    const mine = `inbox:${bob.id} me@identity:${bob.id} me@user:${bob.userId}`;
    expect(world.events()).toEqual([
      `message.sent → inbox:${ada.id}`,
      `message.received → ${mine}`,
      `inbox.count → ${mine}`,
    ]);
  });

  it('sends a draft with a key once', async () => {
    const first = await say('Once', { key: 'k' });
    world.events();
    const again = await say('Once', { key: 'k' });
    expect(again).toEqual({ message: first.message, existed: true });
    // The thread that was opened for it would stay, empty.
    expect(await world.inbox.threads(world.tenantId).countDocuments({})).toBe(1);
    expect(world.events()).toEqual([]);
    expect(await unreadOf(bob)).toBe(1);
  });

  it('refuses unknown people and threads', async () => {
    expect(await codeOf(() => say('x', { recipientIds: [bob.id, 9999] }))).toBe('NOT_FOUND');
    expect(await codeOf(() => say('x', { threadId: 9999 }))).toBe('NOT_FOUND');
    expect(await world.inbox.messages(world.tenantId).countDocuments()).toBe(0);
  });

  it('keeps all messages of a run in one thread', async () => {
    const both = await Promise.all([say('One', { runId: 7 }), say('Two', { runId: 7 })]);
    expect(both[0]?.message.threadId).toBe(both[1]?.message.threadId);
    const other = await say('Three', { runId: 8 });
    expect(other.message.threadId).not.toBe(both[0]?.message.threadId);
  });

  it('counts a question as pending until the one who was asked writes back', async () => {
    const { message } = await say('When?', { requiresReply: true });
    const { threadId } = message;
    const counts = () => world.published.splice(0).filter((one) => one.type === 'inbox.count');
    expect(counts().at(-1)?.data).toMatchObject({ identityId: bob.id, pendingReplyCount: 1 });
    await world.inbox.send({
      tenantId: world.tenantId,
      senderId: bob.id,
      recipientIds: [ada.id],
      content: 'Now',
      threadId,
    });
    const [asked] = await world.inbox.toDtos(
      world.tenantId,
      await world.inbox.messages(world.tenantId).find({ _id: message.id }).toArray(),
    );
    expect(asked?.replyCount).toBe(1);
    await read(bob);
    expect(counts().at(-1)?.data).toEqual({ identityId: bob.id, unreadMessages: 0, pendingReplyCount: 0 });
  });
});

describe('unread messages', () => {
  it('are exact after every write', async () => {
    expect(await unreadOf(bob)).toBe(0);
    const { message } = await say('One');
    expect(await unreadOf(bob)).toBe(1);
    await Promise.all(['Two', 'Three', 'Four'].map((text) => say(text)));
    expect(await unreadOf(bob)).toBe(4);
    expect(await read(bob, { messageIds: [message.id] })).toEqual({ marked: 1, unreadMessages: 3 });
    expect(await read(bob, { messageIds: [message.id] })).toEqual({ marked: 0, unreadMessages: 3 });
    expect(await read(bob, { threadId: message.threadId })).toEqual({ marked: 0, unreadMessages: 3 });
    expect(await read(bob)).toEqual({ marked: 3, unreadMessages: 0 });
    expect(await unreadOf(bob)).toBe(0);
    expect(await unreadOf(ada)).toBe(0);
  });

  it('are known at once the second time, and never kept from a count that a write overtook', async () => {
    const counting = unreadOf(bob);
    const sending = say('Overtaken');
    await Promise.all([counting, sending]);
    expect(await unreadOf(bob)).toBe(1);
    expect(unreadOf(bob)).toBe(1);
  });

  it('are what the mailbox holds, however sends, reads and looks interleave', async () => {
    const action = fc.oneof(
      fc.constant({ kind: 'send' as const }),
      fc.record({ kind: fc.constant('read' as const), who: fc.constantFrom('ada', 'bob') }),
      fc.record({ kind: fc.constant('look' as const), who: fc.constantFrom('ada', 'bob') }),
    );
    const people = { ada, bob };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        await Promise.all(
          actions.map(async (one) => {
            if (one.kind === 'send') await say('x', { recipientIds: [ada.id, bob.id] });
            else if (one.kind === 'read') await read(people[one.who as 'ada']);
            else await unreadOf(people[one.who as 'ada']);
          }),
        );
        for (const identity of [ada, bob]) {
          const held = { identityId: identity.id, unread: true };
          expect(await unreadOf(identity)).toBe(await world.db.collection(entrySpec).countDocuments(held));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('are announced when they are read, once', async () => {
    await say('One');
    world.events();
    await read(bob);
    await read(bob);
    expect(world.events().map((event) => event.split(' ')[0])).toEqual(['message.read', 'inbox.count']);
  });
});

describe('messages to a run', () => {
  it('reach the run once, also when the announcement failed half-way', async () => {
    world.publisher.publish = async () => {
      throw new Fault('STORE_UNAVAILABLE', 'The log is away.');
    };
    const toRun = { runId: 7, toRunId: 7, key: 'k' };
    expect(await codeOf(() => say('Look left', toRun))).toBe('STORE_UNAVAILABLE');
    const seen: string[] = [];
    world.publisher.publish = async (event) => void seen.push(event.type);
    await world.clock.advance(60_000);
    expect(await world.repairs.run()).toBe(1);
    expect(await world.repairs.run()).toBe(0);
    expect(world.engine.read.map((one) => one.text)).toEqual(['Look left']);
    expect(seen).toEqual(['run.message', 'message.sent', 'message.received', 'inbox.count']);
    expect(await unreadOf(bob)).toBe(1);
  });

  it('say why when the run takes nothing more, and are not unread then', async () => {
    world.engine.refuse = new Fault('INVALID_TRANSITION', 'Run 7 has ended.');
    expect(await codeOf(() => say('Too late', { runId: 7, toRunId: 7 }))).toBe('INVALID_TRANSITION');
    const [message] = await world.inbox.toDtos(
      world.tenantId,
      await world.inbox.messages(world.tenantId).find().toArray(),
    );
    expect(message?.recipients[0]).toMatchObject({ rejectedReason: 'Run 7 has ended.', deliveredAtUtc: null });
    expect(await unreadOf(bob)).toBe(0);
    expect(await world.repairs.run()).toBe(0);
  });
});
