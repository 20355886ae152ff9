import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Notifier } from '../../../../runtime/ports.ts';
import type { EscalationRecord } from '../../../../runtime/state/escalation.ts';
import type { IdentityDto } from '../../identities/dto.ts';
import { findPeopleFor } from '../desk/people.ts';
import { type AgentWorld, createAgentWorld } from '../testing/world.ts';
import { createNotifier } from './notifier.ts';

let world: AgentWorld;
let ada: IdentityDto;
let notifier: Notifier;
beforeEach(async () => {
  world = await createAgentWorld();
  ada = await world.addIdentity('Ada');
  notifier = createNotifier({ ...world, people: findPeopleFor(world) });
  world.events();
});
afterEach(() => world.close());

const escalation = (fields: Partial<EscalationRecord> = {}) =>
  ({
    id: 3,
    tenantId: world.tenantId,
    situation: 'Delete the old data?',
    optionsJson: '["Wait",{"key":"go","label":"Go on"}]',
    supervisorRecommendation: 'Keep it',
    confidence: 0.8,
    kind: 'decision',
    urgency: 'Critical',
    status: 'AwaitingHuman',
    revisionRoundsUsed: 0,
    timeoutAt: Date.UTC(2026, 0, 2),
    ...fields,
  }) as EscalationRecord;
const unreadOf = (id: number) => world.inbox.unread(world.tenantId, id);

describe('the notifier', () => {
  it('asks the administrators when nobody nearer answers for the run', async () => {
    const run = world.addRun({ id: 5, identityId: ada.id });
    expect(await notifier.escalationRaised(escalation(), run)).toEqual({ state: 'Sent', detail: 'Administrator' });
    const { _id, userId } = world.administrator;
    expect(await unreadOf(_id)).toBe(1);
    expect(world.published.find((one) => one.type === 'notification')).toMatchObject({
      topics: [`me@user:${userId}`, `me@identity:${_id}`],
      data: { kind: 'EscalationRaised', level: 'Critical', body: 'Delete the old data?', targetId: 3, url: '/runs/5' },
    });
    const message = await world.inbox.messages(world.tenantId).findOne({ runId: 5 });
    expect(message).toMatchObject({ type: 'Escalation', priority: 'Urgent', senderId: ada.id });
    expect(message?.content).toContain('Options: Wait · Go on');
    expect(message?.content).not.toContain('POST');
    expect(message?.content).toContain('Recommended (confidence 80 %): Keep it');
    expect(message?.content).toContain('Answer until 2026-01-02T00:00:00.000Z.');
  });

  it('tells once, and again after a revision', async () => {
    const run = world.addRun({ id: 5, identityId: ada.id });
    await notifier.escalationRaised(escalation(), run);
    await notifier.escalationRaised(escalation(), run);
    expect(world.events().filter((event) => event.startsWith('notification'))).toHaveLength(1);
    await notifier.escalationRaised(escalation({ revisionRoundsUsed: 1 }), run);
    expect(await unreadOf(world.administrator._id)).toBe(2);
  });

  it('reaches people about runs of their own identity too', async () => {
    const run = world.addRun({ id: 5 });
    await notifier.escalationRaised(escalation(), run);
    expect(await unreadOf(world.administrator._id)).toBe(1);
  });

  it('asks who started the run first, then the steward of its identity', async () => {
    const [eve, sam] = [await world.addIdentity('Eve', 'Human'), await world.addIdentity('Sam', 'Human')];
    await world.identities(world.tenantId).updateOne({ _id: ada.id }, { $set: { provisionedByIdentityId: sam.id } });
    const run = world.addRun({ id: 5, identityId: ada.id });
    expect((await notifier.escalationRaised(escalation(), run)).detail).toBe('Sam');
    const started = { ...run, startedByUserId: eve.userId };
    expect((await notifier.escalationRaised(escalation({ id: 4 }), started)).detail).toBe('Eve');
    await world.identities(world.tenantId).updateOne({ _id: eve.id }, { $set: { isActive: false } });
    expect((await notifier.escalationRaised(escalation({ id: 5 }), started)).detail).toBe('Sam');
    expect(await unreadOf(world.administrator._id)).toBe(0);
  });

  it('says when it was not needed, reached nobody or only some', async () => {
    const run = world.addRun({ id: 5, identityId: ada.id });
    const state = async (record: EscalationRecord) => (await notifier.escalationRaised(record, run)).state;
    expect(await state(escalation({ status: 'Resolved' }))).toBe('NotRequired');
    const broken = world.published.length;
    let calls = 0;
    const eve = await world.addIdentity('Eve', 'Human');
    await world.users(world.tenantId).updateOne({ _id: eve.userId ?? 0 }, { $set: { role: 'Admin' } });
    const flaky = createNotifier({
      ...world,
      people: findPeopleFor(world),
      inbox: {
        send: async (draft) => {
          if (calls++ === 0) throw new Error('away');
          return world.inbox.send(draft);
        },
      },
    });
    expect(await flaky.escalationRaised(escalation(), run)).toMatchObject({ state: 'PartiallySent' });
    expect(world.published.length).toBeGreaterThan(broken);
    await world.users(world.tenantId).updateMany({}, { $set: { isActive: false } });
    expect(await notifier.escalationRaised(escalation(), run)).toEqual({
      state: 'NotRequired',
      detail: 'No active person answers for this run.',
    });
  });
});
