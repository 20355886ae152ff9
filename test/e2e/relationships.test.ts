// Relationships and hand-offs from end to end: moved by what happens, and taken over once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { type Answer, request } from '../support/test-server.ts';

let stage: Stage;
let own = 0;
beforeAll(async () => {
  stage = await openStage();
  own = (await call('GET', '/auth/me')).body.data.identity.id;
});
afterAll(() => stage.close());

const call = (method: string, path: string, body?: unknown) => stage.server.call(method, `/api${path}`, body);
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
let number = 0;
const identity = async () => (await data(call('POST', '/identities', { name: `R${++number}` }))).id as number;
const between = (one: number, other: number) => data(call('GET', `/relationships/between/${one}/${other}`));
const history = async (id: number) => (await data(call('GET', `/relationships/${id}/interactions`))).items;

describe('a relationship', () => {
  it('begins with a message, seen from both sides, and says why', async () => {
    const [ada, bob] = [await identity(), await identity()];
    await failure(call('GET', `/relationships/between/${ada}/${bob}`), 404, 'NOT_FOUND');
    await data(call('POST', '/messages', { senderId: ada, recipientIds: [bob], content: 'Hello\nBob' }));
    for (const [one, other] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      const bond = await between(one, other);
      expect(bond).toMatchObject({ type: 'Peer', interactionCount: 1, trust: expect.closeTo(0.5, 5), identityId: one });
      expect(bond.familiarity).toBeGreaterThan(0);
      expect(await history(bond.id)).toMatchObject([{ kind: 'Message', summary: 'Hello Bob', sentiment: 0 }]);
    }
  });

  it('is moved by feedback on runs and by what people decide', async () => {
    const ada = await identity();
    stage.cast({ asks: [{ calls: [['run_escalate', { situation: 'May I?' }]] }, { text: ['done'] }] });
    const run = await stage.start('asks', { identityId: ada });
    const { id } = await stage.question(run.id);
    await data(call('POST', `/agent/escalations/${id}/resolve`, { decision: 'Yes' }));
    await stage.end(run.id);
    const reviewed = await between(own, ada);
    await data(call('POST', `/agent/runs/${run.id}/feedback`, { rating: 'VeryPoor', notes: 'Slow' }));
    const rated = await between(own, ada);
    expect(reviewed.trust).toBeGreaterThan(0.5);
    expect(rated.trust).toBeLessThan(reviewed.trust);
    expect((await history(rated.id)).map((one: { kind: string }) => one.kind)).toEqual(
      expect.arrayContaining(['Feedback', 'Review']),
    );
  });

  it('is said, changed, recorded and forgotten by whoever may act as the identity', async () => {
    const [ada, bob, eve] = [await identity(), await identity(), await identity()];
    const said = { otherIdentityId: bob, type: 'Mentor', trust: 0.9, notes: 'Taught me', mutual: true };
    const bond = await data(call('POST', `/identities/${ada}/relationships`, said));
    expect(bond).toMatchObject({ type: 'Mentor', trust: expect.closeTo(0.9, 5), notes: 'Taught me' });
    expect(await between(bob, ada)).toMatchObject({ type: 'Mentee', trust: expect.closeTo(0.9, 5) });
    const helped = await data(
      call('POST', `/relationships/${bond.id}/interactions`, { kind: 'Help', summary: 'Again' }),
    );
    expect(helped.trustAfter).toBeGreaterThan(0.9);
    expect(await data(call('GET', `/relationships/${bond.id}`))).toMatchObject({ interactionCount: 1 });
    await data(call('POST', `/identities/${ada}/relationships`, { otherIdentityId: eve, type: 'Rival', trust: 0.1 }));
    const trusted = await data(call('GET', `/identities/${ada}/relationships?minTrust=0.5`));
    expect(trusted.items.map((one: { otherIdentityId: number }) => one.otherIdentityId)).toEqual([bob]);
    const key = (await data(call('POST', `/identities/${eve}/api-keys`, { name: 'k' }))).rawKey;
    const asEve = (method: string, path: string, body?: unknown) =>
      request(stage.server.url, method, `/api${path}`, body, { authorization: `Bearer ${key}` });
    await failure(asEve('PATCH', `/relationships/${bond.id}`, { trust: 0 }), 403, 'OWNERSHIP_REQUIRED');
    await failure(asEve('DELETE', `/relationships/${bond.id}`), 403, 'OWNERSHIP_REQUIRED');
    await data(call('DELETE', `/relationships/${bond.id}`));
    await failure(call('GET', `/relationships/${bond.id}/interactions`), 404, 'NOT_FOUND');
  });

  it('counts all of many interactions at the same time', async () => {
    const [ada, bob] = [await identity(), await identity()];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        data(call('POST', '/messages', { senderId: ada, recipientIds: [bob], content: `Word ${n}` })),
      ),
    );
    expect(await between(bob, ada)).toMatchObject({ interactionCount: 30 });
  });
});

describe('a hand-off', () => {
  const left = (more: object = {}) =>
    data(call('POST', '/session/handoffs', { title: 'Paint', summary: 'The fence', nextSteps: ['gate'], ...more }));

  it('is offered by the session, told to runs, and claimed by one of fifty', async () => {
    const ada = await identity();
    const key = (await data(call('POST', `/identities/${ada}/api-keys`, { name: 'worker' }))).rawKey;
    const asAda = (method: string, path: string, body?: unknown) =>
      request(stage.server.url, method, `/api${path}`, body, { authorization: `Bearer ${key}` });
    const { id } = await left({ toIdentityId: ada });
    const session = await data(asAda('GET', '/session'));
    expect(session).toMatchObject({
      kind: 'IdentityKey',
      identity: { id: ada },
      keyName: 'worker',
      pendingHandoffs: [{ id, status: 'Open', fromIdentityId: own }],
      realtimeUrl: expect.stringMatching(/^ws:.*\/api\/ws$/),
    });
    stage.cast({ paints: [{ text: ['done'] }] });
    await stage.end((await stage.start('paints', { identityId: ada })).id);
    expect(stage.scenes('paints')[0]?.system).toContain('- gate');
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, n) => asAda('POST', `/session/handoffs/${id}/claim`, { notes: `try ${n}` })),
    );
    expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of tries.filter((one) => one.status !== 200))
      expect([status, body.errorCode]).toEqual([409, 'ALREADY_CLAIMED']);
    expect((await data(asAda('GET', '/session'))).pendingHandoffs).toEqual([]);
    const { items } = await data(call('GET', '/session/handoffs?direction=Outgoing&status=Claimed'));
    expect(items[0]).toMatchObject({ id, claimedByIdentityId: ada });
    expect(await between(own, ada)).toMatchObject({ interactionCount: expect.any(Number) });
  });

  it('is nobody else’s, ends with its time, and reaches nobody who has blocked its author', async () => {
    const [ada, eve] = [await identity(), await identity()];
    const { id } = await left({ toIdentityId: ada });
    const key = (await data(call('POST', `/identities/${eve}/api-keys`, { name: 'k' }))).rawKey;
    const claim = request(
      stage.server.url,
      'POST',
      `/api/session/handoffs/${id}/claim`,
      {},
      {
        authorization: `Bearer ${key}`,
      },
    );
    await failure(claim, 404, 'NOT_FOUND');
    await failure(
      call('POST', '/session/handoffs', { title: 'x', summary: 'x', expiresAtUtc: '2020-01-01T00:00:00Z' }),
      400,
      'VALIDATION_FAILED',
    );
    const policy = await data(call('GET', `/identities/${ada}/messaging-policy`));
    await data(call('PUT', `/identities/${ada}/messaging-policy`, { ...policy, blockedSenders: [own] }));
    const body = { title: 'x', summary: 'x', toIdentityId: ada };
    await failure(call('POST', '/session/handoffs', body), 403, 'MESSAGING_BLOCKED');
  });
});
