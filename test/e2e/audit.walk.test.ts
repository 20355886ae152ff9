// The audit log holds every writing operation of the contract: who, what, the request, and digests of what it changed.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { fillPath, type ListedOperation, operations, paramsOf } from '../support/operations.ts';
import { type Call, pathless } from '../support/pathless-samples.ts';
import { type SampleMaker, sampleMaker, sampleScenarios } from '../support/sample-maker.ts';
import { needGit, type Sample, samples } from '../support/samples.ts';
import { gitHubProvider } from '../support/sign-in-providers.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;

let folder: string;
let server: TestServer;
let modelServer: FakeServer;
let gitHub: Awaited<ReturnType<typeof gitHubProvider>>;
let maker: SampleMaker;
let narrow: { key: string; identityId: number };
beforeAll(async () => {
  modelServer = await startFakeServer();
  gitHub = await gitHubProvider();
  folder = await mkdtemp(join(tmpdir(), 'rivulet-audit-'));
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
  maker = sampleMaker(server.url, server.key, modelServer.baseUrl);
  const { id } = (await server.call('POST', '/api/identities', { name: 'Narrow' })).body.data;
  const made = await server.call('POST', `/api/identities/${id}/api-keys`, { name: 'narrow', scopes: ['LogsRead'] });
  narrow = { key: made.body.data.rawKey, identityId: id };
});
afterAll(async () => {
  await server.close();
  await modelServer.close();
  await gitHub.close();
  await rm(folder, { recursive: true, force: true });
});

/** These ask a server of another: tests of sign-ins and of mail have one, and read its entry. */
const apart = new Set(['Connectors_endSignIn', 'Email_send', 'OAuth_callback', 'OAuth_exchange']);
const writing = operations.filter(
  ({ id, method, operation }) => (operation.audit ?? method !== 'GET') && !apart.has(id),
);

/**
 * These change nothing that people keep: they ask a model, compute an answer, hand out a ticket that lives in memory,
 * or have a mail sent afterwards.
 */
const changesNothing = new Set([
  ...['encryptHeaders', 'callEndpoint', 'beginSignIn'].map((verb) => `Connectors_${verb}`),
  ...['chat', 'stream', 'compare', 'embeddings'].map((verb) => `AIPlayground_${verb}`),
  ...['test', 'resetCircuit'].map((verb) => `AIProviders_${verb}`),
  'AIRoutes_explain',
  'Email_test',
  ...['resendEmail', 'forgotPassword', 'introspect'].map((verb) => `Auth_${verb}`),
  ...['chat', 'complete', 'messages', 'countTokens', 'embeddings'].map((verb) => `ChatCompletionsCompat_${verb}`),
  ...['chatSession', 'chatMarkdown', 'identity', 'portable', 'tenant'].map((verb) => `Export_${verb}`),
  ...['preview', 'read'].map((verb) => `Souls_${verb}`),
  'WebSocket_ticket',
]);

let requests = 0;

async function send({ method, template }: ListedOperation, sample: Call, key: string | null) {
  const requestId = `audit-walk-${++requests}`;
  const path = `${fillPath(template, (name) => sample.params?.[name] as string | number)}${sample.query ? `?${sample.query}` : ''}`;
  const abort = new AbortController();
  const body = sample.form ?? (sample.body === undefined ? undefined : JSON.stringify(sample.body));
  const response = await fetch(server.url + path, {
    method,
    signal: abort.signal,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      'x-request-id': requestId,
      ...(sample.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...sample.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  abort.abort();
  return { status: response.status, text, requestId };
}

async function entryOf(requestId: string, key = server.key) {
  const read = (path: string) => request(server.url, 'GET', path, undefined, { authorization: `Bearer ${key}` });
  const list = () => read(`/api/audit-events?requestId=${requestId}`);
  await expect.poll(async () => (await list()).body.data.totalCount).toBe(1);
  const [{ id }] = (await list()).body.data.items;
  return (await read(`/api/audit-events/${id}`)).body.data;
}

interface Change {
  kind: string;
  how: 'created' | 'changed' | 'removed';
  before: string | null;
  after: string | null;
}

const digest = /^[0-9a-f]{64}$/;

describe('every writing operation', () => {
  it('has a sample', () => {
    const known = (id: string) => Object.hasOwn(samples, id) || Object.hasOwn(pathless, id);
    expect(writing.map(({ id }) => id).filter((id) => !known(id))).toEqual([]);
  });

  it.each(writing.filter(({ id }) => hasGit || !needGit.has(id)))('$id is told', async (operation) => {
    const { id } = operation;
    const call: Call = pathless[id]
      ? await pathless[id]({ server, maker })
      : { ...((await samples[id]?.sample(maker)) as Sample) };
    const key = call.key === undefined ? server.key : call.key;
    const { status, text, requestId } = await send(operation, call, key);
    expect([status, status < 300 ? '' : text]).toEqual([expect.toSatisfy((code: number) => code < 300), '']);
    const reader = call.reader === 'new' ? JSON.parse(text).data.accessToken : call.reader;
    const entry = await entryOf(requestId, reader);
    expect(entry).toMatchObject({ action: id, outcome: 'Success', requestId, chainValid: true, ip: '127.0.0.1' });
    // Who signs in, or proves by a mailed token who they are, is known afterwards.
    const isNobody = key === null && changesNothing.has(id);
    expect(entry.actorId).toEqual(isNobody ? null : expect.any(Number));
    const changes = JSON.parse(entry.changesJson ?? '[]') as Change[];
    expect({ id, changes: changes.length > 0 }).toEqual({ id, changes: !changesNothing.has(id) });
    for (const { how, before, after } of changes) {
      if (how === 'created') expect(before).toBeNull();
      else expect(before).toMatch(digest);
      if (how === 'removed') expect(after).toBeNull();
      else expect(after).toMatch(digest);
      expect(after).not.toBe(before);
    }
  });
});

describe('every denied attempt', () => {
  const guarded = operations.filter(({ operation }) => operation.needs !== 'public');

  /** Sends all of them, some at a time, then reads what the log says of each by its request. */
  async function attempt(some: readonly ListedOperation[], key: string | null) {
    const told = new Map<string, Record<string, unknown>>();
    const sent: { id: string; requestId: string; status: number }[] = [];
    for (let at = 0; at < some.length; at += 20) {
      const batch = some.slice(at, at + 20).map(async (operation) => {
        const params = Object.fromEntries(paramsOf(operation.template).map((name) => [name, 1]));
        return { id: operation.id, ...(await send(operation, { params }, key)) };
      });
      sent.push(...(await Promise.all(batch)));
    }
    for (let page = 1; ; page++) {
      const { items } = (await server.call('GET', `/api/audit-events?outcome=Denied&pageSize=200&page=${page}`)).body
        .data;
      for (const item of items) told.set(item.requestId, item);
      if (items.length < 200) break;
    }
    return sent.map(({ id, status, requestId }) => {
      const { action, actorKind, actorId, outcome, detail } = told.get(requestId) ?? {};
      return { id, status, action, outcome, actorKind, actorId, code: String(detail).split(':')[0] };
    });
  }

  it('by a key of too little scope is told', async () => {
    const some = guarded.filter(({ operation }) => !['self', 'LogsRead'].includes(operation.needs));
    const actor = { actorKind: 'Identity', actorId: narrow.identityId };
    expect(await attempt(some, narrow.key)).toEqual(
      some.map(({ id }) => ({ id, action: id, status: 403, outcome: 'Denied', ...actor, code: 'FORBIDDEN' })),
    );
  });

  it('by nobody is told', async () => {
    const actor = { actorKind: 'Anonymous', actorId: null };
    expect(await attempt(guarded, null)).toEqual(
      guarded.map(({ id }) => ({ id, action: id, status: 401, outcome: 'Denied', ...actor, code: 'UNAUTHENTICATED' })),
    );
  });

  it('stands in a chain that holds', async () => {
    const verdict = await server.call('POST', '/api/system/maintenance', { task: 'VerifyAuditChain' });
    expect(verdict.body.data).toMatchObject({ state: 'Succeeded', errorMessage: null });
  });
});
