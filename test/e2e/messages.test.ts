// Messages from end to end: under policies, in threads, over sockets, and answered by nobody for ever.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { type Answer, request, startTestServer, type TestServer } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface Person {
  id: number;
  key: string;
}

let number = 0;
async function person(): Promise<Person> {
  const made = await server.call('POST', '/api/identities', { name: `P${++number}` });
  const { id } = made.body.data;
  const key = await server.call('POST', `/api/identities/${id}/api-keys`, { name: 'k' });
  return { id, key: key.body.data.rawKey };
}
const as = ({ key }: Person, method: string, path: string, body?: unknown): Promise<Answer> =>
  request(server.url, method, `/api/messages${path}`, body, { authorization: `Bearer ${key}` });
const data = async (answer: Promise<Answer>) => {
  const { body } = await answer;
  expect([body.error, body.hint, body.ok]).toEqual([null, null, true]);
  return body.data;
};
const send = (from: Person, to: Person[], more: object = {}) =>
  as(from, 'POST', '', { recipientIds: to.map((one) => one.id), content: 'Hello there', ...more });
const policy = async ({ id }: Person, more: object) => {
  const path = `/api/identities/${id}/messaging-policy`;
  const before = (await server.call('GET', path)).body.data;
  expect((await server.call('PUT', path, { ...before, ...more })).status).toBe(200);
};

describe('a message', () => {
  it('lands in a mailbox, counts in every envelope, is read and answered', async () => {
    const [ada, bob] = [await person(), await person()];
    const socket = await openSocket(server.url, { authorization: `Bearer ${bob.key}` });
    await socket.command({ op: 'Subscribe', id: '1', topics: ['me'] });
    const received = socket.frame((frame) => frame.type === 'message.received');
    const sent = await data(send(ada, [bob], { requiresReply: true, threadTitle: 'Greeting' }));
    expect((await received).data).toMatchObject({ id: sent.id, threadTitle: 'Greeting' });
    socket.end();
    const inbox = await as(bob, 'GET', '/inbox?unreadOnly=true');
    expect(inbox.body).toMatchObject({ unreadMessages: 1, data: { totalCount: 1, items: [{ requiresReply: true }] } });
    expect((await data(as(bob, 'GET', '/pending-replies'))).items).toHaveLength(1);
    await data(as(bob, 'POST', `/${sent.id}/read`, {}));
    expect((await as(bob, 'GET', '/inbox')).body.unreadMessages).toBe(0);
    const seen = await data(as(ada, 'GET', `/${sent.id}`));
    expect(seen.recipients).toMatchObject([{ identityId: bob.id, readAtUtc: expect.any(String) }]);
    const answer = await data(as(bob, 'POST', `/${sent.id}/reply`, { content: 'Hello back' }));
    expect(answer).toMatchObject({ type: 'Answer', threadId: sent.threadId, recipients: [{ identityId: ada.id }] });
    expect((await data(as(bob, 'GET', '/pending-replies'))).items).toEqual([]);
    await data(as(ada, 'POST', `/${answer.id}/read`, { isRead: false }));
    expect(await data(as(ada, 'POST', '/read', { all: true }))).toEqual({ marked: 1, unreadMessages: 0 });
    const thread = await data(as(ada, 'GET', `/threads/${sent.threadId}?limit=1`));
    expect(thread).toMatchObject({
      title: 'Greeting',
      messageCount: 2,
      hasEarlier: true,
      messages: [{ id: answer.id }],
    });
    const earlier = await data(as(ada, 'GET', `/threads/${sent.threadId}?beforeId=${answer.id}`));
    expect(earlier).toMatchObject({ hasEarlier: false, messages: [{ id: sent.id }] });
  });

  it('is nobody else’s, and neither is what was said in its thread to others', async () => {
    const [ada, bob, eve] = [await person(), await person(), await person()];
    const sent = await data(send(ada, [bob, eve]));
    const secret = await data(as(bob, 'POST', `/${sent.id}/reply`, { content: 'Between us' }));
    await failure(as(eve, 'GET', `/${secret.id}`), 404, 'NOT_FOUND');
    const thread = await data(as(eve, 'GET', `/threads/${sent.threadId}`));
    expect(JSON.stringify(thread)).not.toContain('Between us');
    expect(thread.messageCount).toBe(1);
    expect(await data(as(eve, 'GET', '/search?q=between'))).toEqual([]);
    const stranger = await person();
    await failure(as(stranger, 'GET', `/threads/${sent.threadId}`), 404, 'NOT_FOUND');
    await failure(send(stranger, [bob], { threadId: sent.threadId }), 404, 'NOT_FOUND');
    await failure(as(stranger, 'GET', `/inbox?identityId=${bob.id}`), 403, 'OWNERSHIP_REQUIRED');
    await failure(send(stranger, [bob], { senderId: ada.id }), 403, 'OWNERSHIP_REQUIRED');
  });

  it('is taken out of one mailbox, put away with its thread, and comes back with the next one', async () => {
    const [ada, bob] = [await person(), await person()];
    const first = await data(send(ada, [bob]));
    expect(await data(as(bob, 'POST', `/threads/${first.threadId}/archive`, {}))).toMatchObject({ archived: true });
    expect((await data(as(bob, 'GET', '/threads'))).items).toEqual([]);
    expect((await data(as(bob, 'GET', '/inbox'))).items).toEqual([]);
    expect((await data(as(bob, 'GET', '/inbox?includeArchived=true'))).items).toHaveLength(1);
    await data(send(ada, [bob], { threadId: first.threadId }));
    expect((await data(as(bob, 'GET', '/threads?unreadOnly=true'))).items).toMatchObject([
      { id: first.threadId, unreadCount: 2, messageCount: 2, archived: false },
    ]);
    expect((await as(bob, 'DELETE', `/${first.id}`)).body).toMatchObject({ ok: true });
    await failure(as(bob, 'GET', `/${first.id}`), 404, 'NOT_FOUND');
    expect((await data(as(ada, 'GET', '/sent'))).totalCount).toBe(2);
  });

  it('is found by its words', async () => {
    const [ada, bob] = [await person(), await person()];
    for (const content of ['The tide is high', 'High tide and low tide', 'Nothing'])
      await data(send(ada, [bob], { content }));
    const hits = await data(as(bob, 'GET', '/search?q=TIDE%20high'));
    expect(hits.map((one: { message: { content: string } }) => one.message.content)).toEqual([
      'High tide and low tide',
      'The tide is high',
    ]);
    expect((await data(as(ada, 'GET', '/search?q=nothing')))[0].matchedBy).toBe('Exact');
  });
});

describe('a messaging policy', () => {
  it.each([
    ['takes none', { receiveEnabled: false }, {}],
    ['asks for more', { minPriority: 3 }, { priority: 'High' }],
    ['knows nobody', { allowedSenders: [999_999] }, {}],
  ])('that %s keeps a message out', async (_, more, message) => {
    const [ada, bob] = [await person(), await person()];
    await policy(bob, more);
    await failure(send(ada, [bob], message), 403, 'MESSAGING_BLOCKED');
    const check = await server.call('GET', `/api/identities/${ada.id}/can-message/${bob.id}?priority=High`);
    expect(check.body.data).toMatchObject({ allowed: false, reason: expect.any(String) });
    expect((await data(as(bob, 'GET', '/inbox'))).totalCount).toBe(0);
  });

  it('keeps it from one of several, and lets it through to the others', async () => {
    const [ada, bob, eve] = [await person(), await person(), await person()];
    await policy(bob, { blockedSenders: [ada.id] });
    const sent = await data(send(ada, [bob, eve]));
    expect(sent.recipients).toMatchObject([
      { identityId: bob.id, rejectedReason: expect.stringContaining('blocked'), deliveredAtUtc: null },
      { identityId: eve.id, rejectedReason: null },
    ]);
    expect((await as(bob, 'GET', '/inbox')).body).toMatchObject({ unreadMessages: 0, data: { totalCount: 0 } });
    await policy(ada, { sendEnabled: false });
    await failure(send(ada, [eve]), 403, 'MESSAGING_BLOCKED');
  });

  it('answers by itself, and two that do so fall silent', async () => {
    const [ada, bob] = [await person(), await person()];
    await policy(ada, { autoReply: true });
    await policy(bob, { autoReply: true, autoReplyTo: [ada.id] });
    for (let count = 0; count < 3; count++) await data(send(ada, [bob]));
    const answers = await data(as(ada, 'GET', '/inbox'));
    expect(answers.items).toMatchObject([{ type: 'AutoReply', senderId: bob.id }]);
    expect((await data(as(bob, 'GET', '/inbox'))).totalCount).toBe(3);
  });
});

describe('a broadcast', () => {
  it('reaches all with a tag but those whose policies refuse it', async () => {
    const [ada, bob] = [await person(), await person()];
    const tag = `crew ${number}`;
    for (const { id } of [ada, bob]) {
      const path = `/api/identities/${id}/work-profile`;
      expect((await server.call('PUT', path, { tags: [tag] })).status).toBe(200);
    }
    await policy(bob, { receiveEnabled: false });
    const sent = await data(server.call('POST', '/api/messages/broadcast', { content: 'All hands', tag }));
    expect(sent).toMatchObject({
      recipientCount: 1,
      message: { type: 'Broadcast' },
      skipped: [{ identityId: bob.id }],
    });
    await failure(as(ada, 'POST', '/broadcast', { content: 'x', everyone: true }), 403, 'FORBIDDEN');
    await failure(server.call('POST', '/api/messages/broadcast', { content: 'x' }), 400, 'VALIDATION_FAILED');
    await failure(server.call('POST', '/api/messages/broadcast', { content: 'x', projectId: 5 }), 404, 'NOT_FOUND');
  });
});
