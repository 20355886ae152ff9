// Who may do what, walked over every operation: nobody, a key of too little scope, and another tenant.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { topicPatterns } from '../../src/stream/log/topics.ts';
import { comparable, unknownLike } from '../support/comparable.ts';
import { expectDeclared } from '../support/declared.ts';
import { failure } from '../support/failure.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { fillPath, operations, paramsOf } from '../support/operations.ts';
import { type SampleMaker, sampleMaker, sampleScenarios, secret } from '../support/sample-maker.ts';
import { askElsewhere, needGit, type Sample, samples } from '../support/samples.ts';
import { gitHubProvider } from '../support/sign-in-providers.ts';
import { difference, noteStoreCalls } from '../support/store-calls.ts';
import { registerStranger } from '../support/strangers.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';
import { openSocket } from '../support/web-socket.ts';

/** Of somebody who has registered, which started a tenant of their own. */
let strangerKey: string;
const hasGit = (await gitVersion().catch(() => null)) !== null;

let folder: string;
let server: TestServer;
let modelServer: FakeServer;
let gitHub: Awaited<ReturnType<typeof gitHubProvider>>;
const storeCalls = noteStoreCalls();
beforeAll(async () => {
  modelServer = await startFakeServer();
  gitHub = await gitHubProvider();
  folder = await mkdtemp(join(tmpdir(), 'rivulet-tenants-'));
  const scenarios = join(folder, 'scenarios');
  await mkdir(scenarios);
  for (const [name, scenario] of Object.entries(sampleScenarios))
    await writeFile(join(scenarios, `${name}.json`), JSON.stringify(scenario));
  server = await startTestServer({
    RIVULET_DATA: folder,
    RIVULET_SCENARIOS: scenarios,
    RIVULET_SITE_BUILDER: 'elsewhere',
    RIVULET_MODEL: 'scripted:echo',
    ...gitHub.environment,
  });
  strangerKey = await registerStranger(server, 'other');
});
afterAll(async () => {
  await server.close();
  await modelServer.close();
  await gitHub.close();
  storeCalls.stop();
  await rm(folder, { recursive: true, force: true });
});

const as = (key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  request(server.url, method, path, body, { authorization: `Bearer ${key}`, ...headers });
/** What is the operator's, or has names that every tenant has: test/e2e/operation.test.ts asks as a stranger. */
const ofOperator = new Set([
  ...['System_metrics', 'System_config', 'Infrastructure_nodes', 'Infrastructure_stores'],
  ...['Infrastructure_control', 'Infrastructure_jobs', 'Infrastructure_retry'],
]);
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
      [
        ...['register', 'login', 'refresh', 'confirmEmail', 'resendEmail', 'forgotPassword', 'resetPassword'].map(
          (verb) => `Auth_${verb}`,
        ),
        ...['topics', 'get', 'categories', 'search', 'context'].map((verb) => `Help_${verb}`),
        ...['blog', 'get', 'nav'].map((verb) => `PublicDocs_${verb}`),
        ...['get', 'ask', 'read'].map((verb) => `PublicBots_${verb}`),
        ...['read', 'events', 'files', 'file'].map((verb) => `PublicShares_${verb}`),
        ...['metadata', 'openid', 'resource', 'mcpResource', 'jwks'].map((verb) => `OAuthServer_${verb}`),
        // By what a client was given.
        ...['register', 'authorize', 'token', 'revoke', 'introspect'].map((verb) => `OAuthServer_${verb}`),
        'McpClient_describe',
        ...['health', 'info', 'ready'].map((verb) => `System_${verb}`),
        // By the signature of who calls, or a token; a browser that comes back is only sent on.
        ...['Channels_inbound', 'Connectors_inboundEndpoint', 'Connectors_signInCallback', 'TrainingRuns_report'],
        'PaymentWebhook_receive',
        // To sign in with a provider: test/e2e/external-sign-in.test.ts goes there and back.
        ...['providers', 'start', 'callback', 'exchange'].map((verb) => `OAuth_${verb}`),
      ].sort(),
    );
    const sendsOn = new Set(['OAuthServer_authorize', 'Connectors_signInCallback', 'OAuth_start', 'OAuth_callback']);
    const { id } = (await server.call('POST', '/api/projects', { name: 'Open', siteEnabled: true })).body.data;
    const page = { title: 'Runs', slug: 'runs', classification: 'Public' };
    const doc = (await server.call('POST', `/api/projects/${id}/docs`, page)).body.data;
    await server.call('POST', `/api/docs/${doc.id}/publish`, {});
    const robin = (await server.call('POST', '/api/identities', { name: 'Robin' })).body.data;
    const face = { displayName: 'Robin', isPublished: true };
    const bot = (await server.call('PUT', `/api/bot-profiles/${robin.id}`, face)).body.data;
    const named: Record<string, string> = { projectId: id, uid: bot.publicUrl.split('/').at(-1) };
    const paths: Record<string, string> = { '/api/help/search': '/api/help/search?q=run' };
    const readable = open.filter(({ id, method }) => method === 'GET' && !sendsOn.has(id));
    for (const { method, template } of readable) {
      const path = fillPath(paths[template] ?? template, (name) => named[name] ?? 'runs');
      expect([path, (await request(server.url, method, path)).status]).toEqual([path, 200]);
    }
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

/** Sends what a sample says; of an event stream the head is the answer. */
async function send(key: string, method: string, template: string, { params, body, query, headers }: Sample) {
  const path = `${fillPath(template, (name) => params[name] as string | number)}${query ? `?${query}` : ''}`;
  const abort = new AbortController();
  const response = await fetch(server.url + path, {
    method,
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expectDeclared(method, template, response);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  abort.abort();
  return { status: response.status, text: text.replaceAll(path, ''), path };
}

describe('sockets and streams', () => {
  it('take nobody', async () => {
    expect((await (await openSocket(server.url)).closed).code).toBe(4001);
    expect((await request(server.url, 'GET', '/api/events?topics=runs')).status).toBe(401);
    const socket = io(server.url, { reconnection: false });
    const refused = await new Promise<Error>((resolve) => socket.once('connect_error', resolve));
    expect(refused.message).toMatch(/./);
    socket.close();
  });

  it('open no topic to a key of too little scope', async () => {
    const { id } = (await server.call('POST', '/api/identities', { name: 'Deaf' })).body.data;
    const made = await server.call('POST', `/api/identities/${id}/api-keys`, { name: 'k', scopes: ['DocsRead'] });
    const key = made.body.data.rawKey as string;
    const socket = await openSocket(server.url, { authorization: `Bearer ${key}` });
    const socketIo = io(server.url, { auth: { token: key }, reconnection: false });
    for (const { pattern, needs } of topicPatterns.values()) {
      if (needs === 'self') continue;
      const topic = pattern.replace('*', '1');
      const command = { op: 'Subscribe', id: topic, topics: [topic] };
      const refusal = { id: topic, ok: false, errorCode: 'FORBIDDEN' };
      expect(await socket.command(command)).toMatchObject(refusal);
      expect(await socketIo.emitWithAck('command', command)).toMatchObject(refusal);
      expect((await as(key, 'GET', `/api/events?topics=${topic}`)).body.errorCode).toBe('FORBIDDEN');
    }
    socket.end();
    socketIo.close();
  });
});

describe('another tenant', () => {
  const own = { run: 0, identity: 0, chat: 0, role: 0, user: 0 };
  let maker: SampleMaker;
  beforeAll(async () => {
    maker = sampleMaker(server.url, server.key, modelServer.baseUrl);
    own.user = (await server.call('GET', '/api/auth/me')).body.data.user.id;
    own.identity = (await maker.identity()).id;
    own.run = (await maker.run()).id;
    own.chat = (await maker.chat()).id;
    own.role = (await maker.role()).id;
    await maker.route();
    await maker.budget();
    await maker.freshEscalation();
    if (hasGit) await maker.workspace();
  });

  /** Projects are numbers of each tenant's own, so that a stranger's is another one, in which there is nothing. */
  const ofOwnProject = new Set(['Facts_list', 'Facts_search', 'Facts_create']);
  /** About what comes with the server and is everybody's. */
  const shared = new Set(['Help_feedback']);
  /** Each has a sample: test/meta/parts.test.ts. */
  const withIds = guarded.filter(({ id, template }) => paramsOf(template).length > 0 && !shared.has(id));

  it.each(withIds.filter(({ id, method }) => ofOwnProject.has(id) && method === 'GET'))(
    'finds nothing in a project of our number with $id',
    async ({ id, method, template }) => {
      await maker.freshFact();
      const sample = (await samples[id]?.sample(maker)) as Sample;
      const foreign = await send(strangerKey, method, template, sample);
      expect([foreign.status, foreign.text.includes(secret)]).toEqual([200, false]);
      expect((await send(server.key, method, template, sample)).text).toContain(secret);
    },
  );

  it.each(withIds.filter(({ id }) => (hasGit || !needGit.has(id)) && !ofOwnProject.has(id) && !ofOperator.has(id)))(
    'finds nothing of ours with $id, which answers us',
    async ({ id, method, template }) => {
      const sample = (await samples[id]?.sample(maker)) as Sample;
      const foreign = await send(strangerKey, method, template, sample);
      const refusal = foreign.status < 400 ? null : JSON.parse(foreign.text);
      expect([foreign.status, refusal?.errorCode ?? refusal?.error?.code]).toEqual([404, 'NOT_FOUND']);
      // The same answer as for an id that nobody has, so that it tells nothing.
      const nobodys = Object.fromEntries(
        Object.entries(sample.params).map(([name, value]) => [
          name,
          typeof value === 'string' ? unknownLike(value) : name === 'index' ? value : 999_999_999,
        ]),
      );
      const nowhere = await send(strangerKey, method, template, { ...sample, params: nobodys });
      expect(comparable(foreign.text, Object.values(sample.params))).toBe(
        comparable(nowhere.text, Object.values(nobodys)),
      );
      // And as much work, which would tell by its time. What the server does besides is over at another try.
      const workOf = (params: Sample['params']) =>
        storeCalls.during(() => send(strangerKey, method, template, { ...sample, params }));
      await expect
        .poll(async () => difference(await workOf(sample.params), await workOf(nobodys)), { timeout: 10_000 })
        .toEqual([]);
      // Ours was there all the time, and still is.
      const ours = await send(server.key, method, template, sample);
      if (askElsewhere.has(id)) return expect(JSON.parse(ours.text).errorCode).toBe('NOT_CONFIGURED');
      expect([ours.path, ours.status, ours.status < 300 ? '' : ours.text]).toEqual([
        ours.path,
        expect.toSatisfy((status: number) => status >= 200 && status < 300),
        '',
      ]);
    },
  );

  const asksFor = new Set([
    ...['Messages_search', 'AgentMemories_search', 'PersonalMemories_search', 'StandingRules_search'],
  ]);
  const reads = guarded.filter(
    ({ id, method, template, operation }) =>
      method === 'GET' && paramsOf(template).length === 0 && operation.reply !== 'stream' && !ofOperator.has(id),
  );
  it.each(reads)('sees nothing of ours in $id', async ({ id, template }) => {
    const query: Record<string, string> = {
      AgentRoutines_preview: '?cronExpression=@daily',
      StandingRules_check: '?trigger=BeforeDeploy',
      // It says the question again: a part of the word finds what holds the whole.
      GlobalSearch_search: `?q=${secret.slice(0, -2)}`,
    };
    const path = template + (asksFor.has(id) ? `?q=${secret}` : (query[id] ?? ''));
    const { status, body } = await as(strangerKey, 'GET', path);
    // One that picks one of what there is finds nothing.
    expect(status === 404 ? body.errorCode : status).toBe(status === 404 ? 'NOT_FOUND' : 200);
    expect(JSON.stringify(body)).not.toContain(secret);
    const ours = await server.call('GET', path);
    expect(ours.status).toBe(200);
  });

  it('does not see the figures of the process, in which we are', async () => {
    for (const path of ['/api/system/metrics', '/metrics'])
      await failure(as(strangerKey, 'GET', path), 403, 'FORBIDDEN');
    expect((await server.call('GET', '/metrics')).status).toBe(200);
  });

  it('cannot use our things in its own', async () => {
    const run = (await as(strangerKey, 'POST', '/api/agent/runs', { goal: 'x' })).body.data;
    const { name: role } = (await maker.role()) as unknown as { name: string };
    const uses: [string, unknown][] = [
      ['/api/chat/sessions', { identityId: own.identity }],
      ['/api/agent/runs', { goal: 'x', identityId: own.identity }],
      ['/api/agent/runs', { goal: 'x', roleDefinitionId: own.role }],
      ['/api/agent/runs', { goal: 'x', role }],
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
    const ids: Record<string, () => number> = {
      run: () => own.run,
      'run-tree': () => own.run,
      identity: () => own.identity,
      chat: () => own.chat,
      inbox: () => ownInbox,
      project: () => ownProject,
      import: () => ownImport,
    };
    const kinds = [...topicPatterns.keys()].filter((pattern) => pattern.endsWith(':*')).map((one) => one.slice(0, -2));
    const topics = () => kinds.map((kind) => `${kind}:${ids[kind]?.() ?? 1}`);
    let ownInbox = 0;
    let ownProject = 0;
    let ownImport = 0;
    beforeAll(async () => {
      ownProject = (await server.call('POST', '/api/projects', { name: 'ours' })).body.data.id;
      ownInbox = (await server.call('GET', '/api/auth/me')).body.data.identity.id;
      ownImport = (await maker.freshImport()).id;
    });

    it('of which each kind has a sample that we may follow', async () => {
      expect(kinds.filter((kind) => !ids[kind])).toEqual([]);
      const socket = await openSocket(server.url, { authorization: `Bearer ${server.key}` });
      for (const [kind, id] of Object.entries(ids))
        expect(await socket.command({ op: 'Subscribe', id: kind, topics: [`${kind}:${id()}`] })).toMatchObject({
          id: kind,
          ok: true,
        });
      socket.end();
    });

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
      // That they came online is news of their own.
      const { items } = (await as(strangerKey, 'GET', '/api/identities')).body.data;
      const ids = items.map(({ id }: { id: number }) => id);
      const isOwn = ({ type, data }: Record<string, unknown>) =>
        type === 'presence.changed' && ids.includes((data as { identityId: number }).identityId);
      expect(stranger.frames.filter((frame) => frame.type !== undefined && !isOwn(frame))).toEqual([]);
      stranger.end();
      ours.end();
    });
  });
});
