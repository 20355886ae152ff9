// Who may do what, walked over every operation: nobody, a key of too little scope, and another tenant.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccessTokens } from '../../src/auth/jwt.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { setUp } from '../../src/auth/setup.ts';
import { openStorage } from '../../src/compose/storage.ts';
import { loadConfig } from '../../src/config.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { silentLogger as log } from '../../src/kernel/logger.ts';
import { smallestQuery } from '../support/operation-fuzz.ts';
import { fillPath, type ListedOperation, operations, paramsOf, smallestBody } from '../support/operations.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

const strangerKey = 'rvt_key-of-another-tenant-0123456789';
/** In everything that the first tenant makes. */
const secret = 'zebra';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rivulet-tenants-'));
  await makeOtherTenant(folder);
  server = await startTestServer({ RIVULET_DATA: folder });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function makeOtherTenant(dataDir: string): Promise<void> {
  const config = loadConfig({ RIVULET_DATA: dataDir });
  const storage = await openStorage({ config, clock, log });
  const { auth, ids } = storage;
  const tokens = createAccessTokens({ secret: config.secret, clock });
  const deps = {
    auth,
    ids,
    clock,
    secret: config.secret,
    sessions: createSessions({ auth, ids, tokens, clock, accessChanged: () => {} }),
  };
  await setUp(deps, { slug: 'other', adminKey: strangerKey });
  await storage.close();
}

const as = (key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(server.url, method, path, body, { authorization: `Bearer ${key}`, ...headers });
const guarded = operations.filter(({ operation }) => operation.needs !== 'public');

describe('nobody', () => {
  it.each(guarded)('may not call $id', async ({ method, template }) => {
    const path = fillPath(template, () => 1);
    for (const query of ['', '?nonsense=1']) {
      const { status, body, headers } = await request(server.url, method, path + query);
      expect({ status, code: body.errorCode }).toEqual({ status: 401, code: 'UNAUTHENTICATED' });
      expect(body.hint).toMatch(/Authorization/);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('may call what is public', async () => {
    const open = operations.filter(({ operation }) => operation.needs === 'public');
    expect(open.map(({ id }) => id).sort()).toEqual(
      ['Auth_login', 'Auth_refresh', 'System_health', 'System_info', 'System_ready'].sort(),
    );
    for (const { method, template } of open.filter((o) => o.method === 'GET'))
      expect((await request(server.url, method, template)).status).toBe(200);
  });
});

describe('a key of too little scope', () => {
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    const { id } = (await server.call('POST', '/api/identities', { name: 'Narrow' })).body.data;
    for (const scope of ['LogsRead', 'ImportData']) {
      const made = await server.call('POST', `/api/identities/${id}/api-keys`, { name: scope, scopes: [scope] });
      keys[scope] = made.body.data.rawKey;
    }
  });

  it.each(guarded.filter(({ operation }) => operation.needs !== 'self'))(
    'may not call $id and is told which permission that needs',
    async ({ method, template, operation }) => {
      const key = keys[operation.needs === 'LogsRead' ? 'ImportData' : 'LogsRead'] as string;
      const { status, body } = await as(
        key,
        method,
        fillPath(template, () => 1),
      );
      expect({ status, code: body.errorCode }).toEqual({ status: 403, code: 'FORBIDDEN' });
      expect(body.hint).toContain(operation.needs);
    },
  );
});

describe('another tenant', () => {
  const own = { run: 0, identity: 0, key: 0, role: 0, profile: 0, task: 0, user: 0 };
  beforeAll(async () => {
    const make = async (path: string, body: unknown) => {
      const answer = await server.call('POST', path, body);
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.data;
    };
    own.identity = (await make('/api/identities', { name: `${secret} clerk` })).id;
    own.user = (await server.call('GET', '/api/auth/me')).body.data.user.id;
    own.key = (await make(`/api/identities/${own.identity}/api-keys`, { name: secret })).key.id;
    own.role = (await make('/api/agent/role-definitions', { name: `${secret} role`, systemPromptTemplate: secret })).id;
    own.profile = (await make('/api/agent/tool-profiles', { name: secret, role: `${secret} role` })).id;
    own.run = (await make('/api/agent/runs', { goal: secret, identityId: own.identity })).id;
    own.task = (await make(`/api/agent/runs/${own.run}/tasks`, { title: secret })).id;
    await make(`/api/agent/runs/${own.run}/notes`, { content: secret });
    await make(`/api/agent/runs/${own.run}/messages`, { content: secret });
    await make(`/api/agent/runs/${own.run}/feedback`, { rating: 'Good', notes: secret });
  });

  const idOf = ({ group }: ListedOperation, name: string): string | number => {
    if (name === 'runId' || group === 'AgentRuns') return own.run;
    if (name === 'identityId' || group === 'Identities') return own.identity;
    if (name === 'keyId') return own.key;
    if (name === 'name' || name === 'role') return `${secret} role`;
    if (group === 'AgentTasks') return own.task;
    if (group === 'AgentToolProfiles') return own.profile;
    return own.role;
  };

  const withIds = guarded.filter(({ template }) => paramsOf(template).length > 0);
  it.each(withIds)('finds nothing of ours with $id', async (listed) => {
    const query = smallestQuery(listed.operation);
    const path = `${fillPath(listed.template, (name) => idOf(listed, name))}${query ? `?${query}` : ''}`;
    const { status, body } = await as(strangerKey, listed.method, path, smallestBody(listed.operation));
    expect({ status, code: body.errorCode, says: JSON.stringify(body).replaceAll(path, '') }).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      says: expect.any(String),
    });
    // The same answer as for an id that nobody has, so that it tells nothing.
    const nobodys = fillPath(listed.template, (name) =>
      typeof idOf(listed, name) === 'string' ? 'nobody' : 999_999_999,
    );
    const nowhere = `${nobodys}${query ? `?${query}` : ''}`;
    expect((await as(strangerKey, listed.method, nowhere, smallestBody(listed.operation))).body.errorCode).toBe(
      'NOT_FOUND',
    );
  });

  const reads = guarded.filter(
    ({ method, template, operation }) =>
      method === 'GET' && paramsOf(template).length === 0 && operation.reply !== 'stream',
  );
  it.each(reads)('sees nothing of ours in $id', async ({ template }) => {
    const { status, body } = await as(strangerKey, 'GET', template);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(secret);
    const ours = await server.call('GET', template);
    expect(ours.status).toBe(200);
  });

  it('cannot use our things in its own', async () => {
    // Any text may be a role; only the definition of that name is ours.
    const run = (await as(strangerKey, 'POST', '/api/agent/runs', { goal: 'x', role: `${secret} role` })).body.data;
    expect(run.roleDefinitionId).toBeNull();
    const uses: [string, unknown][] = [
      ['/api/agent/runs', { goal: 'x', identityId: own.identity }],
      ['/api/agent/runs', { goal: 'x', roleDefinitionId: own.role }],
      [`/api/agent/runs/${run.id}/messages`, { content: 'x', senderId: own.identity }],
      ['/api/agent/tool-profiles', { name: 'x', role: 'x', roleDefinitionId: own.role }],
      ['/api/identities', { name: 'x', userId: own.user }],
    ];
    for (const [path, body] of uses) {
      const answer = await as(strangerKey, 'POST', path, body);
      expect([JSON.stringify(body), answer.status]).toEqual([JSON.stringify(body), 404]);
    }
    const { body } = await as(strangerKey, 'GET', '/api/auth/me');
    expect(body.data.tenantName).toBe('other');
  });

  describe('follows nothing of ours', () => {
    const topics = () => [`run:${own.run}`, `run-tree:${own.run}`, `identity:${own.identity}`, `inbox:${own.identity}`];

    it('over server-sent events', async () => {
      for (const topic of topics())
        expect((await as(strangerKey, 'GET', `/api/events?topics=${topic}`)).body.errorCode).toBe('NOT_FOUND');
      const live = await as(strangerKey, 'GET', `/api/agent/runs/${own.run}/events`, undefined, {
        accept: 'text/event-stream',
      });
      expect(live.body.errorCode).toBe('NOT_FOUND');
      expect((await as(strangerKey, 'POST', '/api/ws/tickets', { topics: topics() })).body.errorCode).toBe('NOT_FOUND');
    });

    it('over WebSocket', async () => {
      const socket = await openSocket(server.url, { authorization: `Bearer ${strangerKey}` });
      for (const topic of topics())
        expect(await socket.command({ op: 'Subscribe', id: topic, topics: [topic] })).toMatchObject({
          id: topic,
          ok: false,
          errorCode: 'NOT_FOUND',
        });
      socket.end();
    });

    it('over socket.io', async () => {
      const socket = io(server.url, { auth: { token: strangerKey }, reconnection: false });
      for (const topic of topics())
        expect(await socket.emitWithAck('command', { op: 'Subscribe', id: '1', topics: [topic] })).toMatchObject({
          ok: false,
          errorCode: 'NOT_FOUND',
        });
      socket.close();
    });

    it('in topics that both have', async () => {
      const stranger = await openSocket(server.url, { authorization: `Bearer ${strangerKey}` });
      const ours = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      const shared = ['runs', 'identities', 'system', 'me'];
      for (const socket of [stranger, ours])
        expect(await socket.command({ op: 'Subscribe', id: '1', topics: shared })).toMatchObject({ ok: true });
      const seen = ours.frame((frame) => frame.type === 'run.created');
      await server.call('POST', '/api/agent/runs', { goal: secret });
      await seen;
      await stranger.command({ op: 'Ping', id: '2' });
      expect(stranger.frames.filter((frame) => frame.type !== undefined)).toEqual([]);
      stranger.end();
      ours.end();
    });
  });
});
