// The audit log end to end: each write and each denied attempt, chained, also after a kill in the middle of writes.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyChain } from '../../src/groups/audit-events/chain.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { silentLogger as logger } from '../../src/kernel/logger.ts';
import { createSigner } from '../../src/kernel/signer.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createChildServer } from '../support/child-server.ts';
import { failure } from '../support/failure.ts';
import { startWithPeople } from '../support/people.ts';
import { request } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

type People = Awaited<ReturnType<typeof startWithPeople>>;
let people: People;
beforeAll(async () => {
  people = await startWithPeople(['Viewer']);
});
afterAll(() => people.close());

const newest = async (query: string) =>
  (await people.server.call('GET', `/api/audit-events?${query}`)).body.data.items[0];

describe('the audit log', () => {
  it('tells of a write with who, what, and digests of before and after', async () => {
    const { call } = people.server;
    const { id } = (await call('POST', '/api/roles', { name: 'Baker', permissions: ['RunsRead'] })).body.data;
    const patched = await call('PATCH', `/api/roles/${id}`, { description: 'hush-value' }, { 'user-agent': 'oven/1' });
    const entry = await newest(`targetKind=role&targetId=${id}`);
    expect(entry).toMatchObject({
      action: 'Roles_patch',
      category: 'Roles',
      outcome: 'Success',
      actorKind: 'Identity',
      actorId: people.person('owner').identityId,
      targetName: 'Baker',
      ip: '127.0.0.1',
      userAgent: 'oven/1',
      requestId: patched.body.requestId,
    });
    const detail = (await call('GET', `/api/audit-events/${entry.id}`)).body.data;
    expect(detail.chainValid).toBe(true);
    const [change] = JSON.parse(detail.changesJson);
    expect(change).toMatchObject({ kind: 'role', how: 'changed', id, fields: expect.arrayContaining(['description']) });
    expect(change.before).toMatch(/^[0-9a-f]{64}$/);
    expect(change.after).not.toBe(change.before);
    expect(JSON.stringify(detail)).not.toContain('hush-value');
  });

  it('digests what is written by other means than a keeper: keys, passwords, agents with their users, chats', async () => {
    const { call } = people.server;
    const { userId, identityId } = people.person('Viewer');
    const changesOf = async (action: string) => {
      const { id } = await newest(`action=${action}`);
      const { changesJson } = (await call('GET', `/api/audit-events/${id}`)).body.data;
      return (JSON.parse(changesJson ?? '[]') as { kind: string; how: string; before: string; after: string }[]).map(
        ({ kind, how, before, after }) => `${kind} ${how} ${before ? 1 : 0}${after ? 1 : 0} ${before !== after}`,
      );
    };
    const path = `/api/identities/${identityId}/api-keys`;
    const { key } = (await call('POST', path, { name: 'told' })).body.data;
    expect(await changesOf('IdentityKeys_create')).toEqual(['key created 01 true']);
    const rotated = (await call('POST', `${path}/${key.id}/rotate`, {})).body.data.key;
    expect(await changesOf('IdentityKeys_rotate')).toEqual(['key changed 11 true', 'key created 01 true']);
    await call('DELETE', `${path}/${rotated.id}`);
    expect(await changesOf('IdentityKeys_remove')).toEqual(['key changed 11 true']);
    await call('POST', `/api/users/${userId}/reset-password`, { newPassword: 'words of the viewer' });
    expect(await changesOf('Users_resetPassword')).toEqual(['user changed 11 true']);
    await call('POST', `/api/users/${userId}/apikey`, {});
    expect(await changesOf('Users_createKey')).toEqual(['key created 01 true']);
    await call('DELETE', `/api/users/${userId}/apikey`);
    expect(await changesOf('Users_removeKey')).toEqual(['key changed 11 true']);
    await call('POST', '/api/identities', { name: 'Told' });
    expect(await changesOf('Identities_create')).toEqual(['user created 01 true', 'identity created 01 true']);
    const { id } = (await call('POST', '/api/chat/sessions', { title: 'Told' })).body.data;
    await call('PATCH', `/api/chat/sessions/${id}`, { title: 'Again' });
    expect(await changesOf('ChatSession_patch')).toEqual(['chat session changed 11 true']);
    await call('DELETE', `/api/chat/sessions/${id}`);
    expect(await changesOf('ChatSession_remove')).toEqual(['chat session removed 10 true']);
  });

  it('tells of those who may not, and of wrong passwords in the log of whom they were for', async () => {
    await failure(people.as('Viewer', 'POST', '/api/agent/runs', { goal: 'x' }), 403, 'FORBIDDEN');
    expect(await newest('outcome=Denied&category=Authorization')).toMatchObject({
      action: 'AgentRuns_create',
      actorId: people.person('Viewer').identityId,
      detail: expect.stringContaining('FORBIDDEN'),
    });
    const login = { login: 'admin', password: 'hush-wrong-password' };
    await failure(request(people.server.url, 'POST', '/api/auth/login', login), 401, 'INVALID_CREDENTIALS');
    expect(await newest('category=Authentication&outcome=Denied')).toMatchObject({
      action: 'Auth_login',
      actorKind: 'Anonymous',
      actorId: null,
    });
  });

  it('is followed live by those who may read it, and by no others', async () => {
    const open = async (who: string) => {
      const socket = await openSocket(people.server.url, { authorization: `Bearer ${people.person(who).key}` });
      onTestFinished(() => socket.end());
      return { socket, answer: await socket.command({ op: 'Subscribe', id: '1', topics: ['audit'] }) };
    };
    expect((await open('Viewer')).answer).toMatchObject({ errorCode: 'FORBIDDEN' });
    const { socket } = await open('owner');
    // What was done just before is kept before it is told, so that it may come now, too.
    const told = socket.frame(({ type, data }) => type === 'audit.recorded' && data.action === 'Roles_create');
    await people.server.call('POST', '/api/roles', { name: 'Miller' });
    expect(await told).toMatchObject({ data: { targetName: 'Miller' } });
    await failure(people.as('Viewer', 'GET', '/api/audit-events'), 403, 'FORBIDDEN');
  });

  it('is verified from its first entry to its last by VerifyAuditChain', async () => {
    const verify = async () =>
      (await people.server.call('POST', '/api/system/maintenance', { task: 'VerifyAuditChain' })).body.data;
    const first = await verify();
    expect(first).toMatchObject({ task: 'VerifyAuditChain', state: 'Succeeded', errorMessage: null });
    expect(first.processed).toBeGreaterThan(3);
    const dataDir = people.server.config.dataDir;
    await people.server.restart(async () => {
      const db = openEmbeddedDb({ folder: dataDir, clock, logger });
      const entries = db.collection<{ _id: number; seq: number; action: string }>('audit_events');
      await entries.updateOne({ seq: 2 }, { $set: { action: 'Nothing_happened' } });
      await db.close();
    });
    expect(await verify()).toMatchObject({ state: 'Failed', errorMessage: 'The entry was changed. At number 2.' });
    const { items } = (await people.server.call('GET', '/api/audit-events?sort=seq&pageSize=2')).body.data;
    const second = await people.server.call('GET', `/api/audit-events/${items[1].id}`);
    expect(second.body.data.chainValid).toBe(false);
  });
});

it('has every write that was answered, in a chain that holds, after a kill in the middle of them', async () => {
  const secret = 'the secret of a server that is killed 0123456789';
  const child = await createChildServer({ RIVULET_SECRET: secret });
  onTestFinished(() => child.close());
  await child.start();
  const answered: string[] = [];
  const write = async (worker: number) => {
    for (let i = 0; ; i++) {
      const headers = { authorization: `Bearer ${child.key}` };
      const body = { name: `role ${worker}-${i}` };
      const answer = await request(child.baseUrl, 'POST', '/api/roles', body, headers).catch(() => null);
      if (answer?.status !== 200) return;
      answered.push(answer.body.requestId);
    }
  };
  const workers = Array.from({ length: 8 }, (_, worker) => write(worker));
  await expect.poll(() => answered.length, { timeout: 20_000 }).toBeGreaterThan(100);
  await child.kill();
  await Promise.all(workers);
  const db = openEmbeddedDb({ folder: child.folder, clock, logger });
  const written = db.collection<{ _id: number; tenantId: number; requestId: string }>('audit_events');
  const entries = await written.find({}).toArray();
  const known = new Set(entries.map(({ requestId }) => requestId));
  expect(answered.filter((id) => !known.has(id))).toEqual([]);
  expect(await verifyChain({ db, signer: createSigner({ secret }) }, 1)).toMatchObject({
    valid: true,
    checked: entries.length,
  });
  await db.close();
  // A server that comes after goes on with the chain.
  await child.start();
  const headers = { authorization: `Bearer ${child.key}` };
  await request(child.baseUrl, 'POST', '/api/roles', { name: 'after' }, headers);
  const list = await request(child.baseUrl, 'GET', '/api/audit-events?action=Roles_create', undefined, headers);
  expect(list.body.data.items[0].seq).toBe(entries.length + 1);
});
