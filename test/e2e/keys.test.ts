// Identities, their keys and tickets end to end, on both transports.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { request, startTestServer, type TestServer, transports } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

describe.each(transports)('identities and keys on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport });
  });
  afterAll(() => server.close());

  const make = async (name: string, scopes: string[]) => {
    const identity = (await server.call('POST', '/api/identities', { name, type: 'AI' })).body.data;
    const key = (await server.call('POST', `/api/identities/${identity.id}/api-keys`, { name: 'k', scopes })).body.data;
    return { id: identity.id as number, keyId: key.key.id as number, raw: key.rawKey as string };
  };

  it('makes, finds, changes and deletes an identity', async () => {
    const { id, raw } = await make(`Clerk ${transport}`, ['RunsRead']);
    await failure(server.call('POST', '/api/identities', { name: `clerk ${transport}` }), 409, 'DUPLICATE');
    const patched = await server.call('PATCH', `/api/identities/${id}`, { bio: 'Keeps books.' });
    expect(patched.body.data).toMatchObject({ id, bio: 'Keeps books.' });
    expect(
      (await server.call('GET', `/api/identities?q=clerk`)).body.data.items.map((i: { id: number }) => i.id),
    ).toContain(id);
    const asClerk = { authorization: `Bearer ${raw}` };
    expect((await request(server.url, 'GET', '/api/agent/runs', undefined, asClerk)).status).toBe(200);
    await failure(
      request(server.url, 'POST', '/api/agent/runs', { goal: 'x' }, asClerk),
      403,
      'FORBIDDEN',
      /RunsWrite/,
    );
    expect((await server.call('DELETE', `/api/identities/${id}`)).status).toBe(200);
    await failure(server.call('GET', `/api/identities/${id}`), 404, 'NOT_FOUND');
    await failure(request(server.url, 'GET', '/api/agent/runs', undefined, asClerk), 403, 'ACCOUNT_DISABLED');
  });

  it('closes the sockets of a revoked key at once', async () => {
    const { id, keyId, raw } = await make(`Watcher ${transport}`, ['RunsRead', 'SystemRead']);
    const socket = await openSocket(server.url, { authorization: `Bearer ${raw}` });
    await socket.command({ op: 'Subscribe', id: '1', topics: ['runs'] });
    const events = await fetch(`${server.url}/api/events?topics=runs`, {
      headers: { authorization: `Bearer ${raw}` },
    });
    const listed = await server.call('GET', `/api/ws/connections?identityId=${id}&sort=connectedAtUtc`);
    expect(listed.body.data.items.map((c: { transport: string }) => c.transport)).toEqual(['WebSocket', 'Sse']);
    expect((await server.call('DELETE', `/api/identities/${id}/api-keys/${keyId}`)).status).toBe(200);
    const closed = await socket.closed;
    expect(closed.code).toBe(4001);
    await events.text();
    await failure(
      request(server.url, 'GET', '/api/agent/runs', undefined, { authorization: `Bearer ${raw}` }),
      401,
      'TOKEN_REVOKED',
    );
  });

  it('closes the sockets of a revoked key of a user at once', async () => {
    const made = await server.call('POST', '/api/users', { username: `watcher-${transport}`, role: 'Operator' });
    const { id } = made.body.data;
    const { rawKey } = (await server.call('POST', `/api/users/${id}/apikey`, {})).body.data;
    const socket = await openSocket(server.url, { authorization: `Bearer ${rawKey}` });
    const { ok } = await socket.command({ op: 'Subscribe', id: '1', topics: ['runs'] });
    expect(ok).not.toBe(false);
    const headers = { authorization: `Bearer ${rawKey}` };
    const events = await fetch(`${server.url}/api/events?topics=runs`, { headers });
    expect((await server.call('DELETE', `/api/users/${id}/apikey`)).status).toBe(200);
    expect((await socket.closed).code).toBe(4001);
    await events.text();
    expect((await request(server.url, 'GET', '/api/agent/runs', undefined, headers)).status).toBe(401);
  });

  it('rotates a key with an overlap', async () => {
    const { id, keyId, raw } = await make(`Rotator ${transport}`, ['RunsRead']);
    const rotated = await server.call('POST', `/api/identities/${id}/api-keys/${keyId}/rotate`, {
      overlapMinutes: 5,
    });
    for (const key of [raw, rotated.body.data.rawKey])
      expect(
        (await request(server.url, 'GET', '/api/agent/runs', undefined, { authorization: `Bearer ${key}` })).status,
      ).toBe(200);
    await failure(server.call('POST', `/api/identities/${id}/api-keys/${keyId}/rotate`), 409, 'CONFLICT');
    const kept = await server.call('GET', `/api/identities/${id}/api-keys?includeRevoked=true`);
    expect(JSON.stringify(kept.body)).not.toContain(raw);
  });

  it('admits a ticket once, to its topics only', async () => {
    const mint = async (topics: string[]) => (await server.call('POST', '/api/ws/tickets', { topics })).body.data;
    const { ticket } = await mint(['runs']);
    const socket = await openSocket(`${server.url}`, {}, `?ticket=${ticket}`);
    expect(await socket.command({ op: 'Subscribe', id: '1', topics: ['runs'] })).toMatchObject({
      op: 'Ack',
      ok: true,
    });
    expect(await socket.command({ op: 'Subscribe', id: '2', topics: ['system'] })).toMatchObject({
      ok: false,
      errorCode: 'FORBIDDEN',
    });
    socket.end();
    await failure(request(server.url, 'GET', `/api/events?topics=runs&ticket=${ticket}`), 401, 'TOKEN_EXPIRED');
    const second = await mint(['runs']);
    await failure(request(server.url, 'GET', `/api/events?topics=system&ticket=${second.ticket}`), 403, 'FORBIDDEN');
    await failure(server.call('POST', '/api/ws/tickets', { topics: ['nowhere'] }), 404, 'NOT_FOUND', /topic/);
    await failure(server.call('GET', '/api/ws'), 426, 'BAD_REQUEST', /WebSocket/);
  });
});
