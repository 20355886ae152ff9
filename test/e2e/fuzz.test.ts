// Bad input of every kind to every operation: always a clear refusal, never a fault of the server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { Permission } from '../../src/contract/enums.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { type BadRequest, badBodies, badQueries, randomBodies, smallestQuery } from '../support/operation-fuzz.ts';
import { fillPath, type ListedOperation, operations, paramsOf, smallestBody } from '../support/operations.ts';
import { needGit, type SampleMaker, sampleMaker, sampleScenarios, samples } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let modelServer: FakeServer;
let folder: string;
let maker: SampleMaker;
const hasGit = (await gitVersion().catch(() => null)) !== null;
/** Requests are spread over several keys, so that none runs into its rate limit. */
const keys: string[] = [];
let memoryBefore = 0;
let routerSettings: object = {};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** What is left after a collection: how much of the rest a process gives back is up to each version of Node. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

beforeAll(async () => {
  modelServer = await startFakeServer();
  folder = await mkdtemp(join(tmpdir(), 'rivulet-fuzz-'));
  for (const [name, scenario] of Object.entries(sampleScenarios))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(scenario));
  server = await startTestServer({ RIVULET_MODEL: 'scripted:echo', RIVULET_SCENARIOS: folder });
  maker = sampleMaker(server.url, server.key, modelServer.baseUrl);
  const make = async (path: string, body: unknown) => (await server.call('POST', path, body)).body.data;
  const me = (await server.call('GET', '/api/auth/me')).body.data.identity.id;
  // They name every scope, so that operations on the account are reached too.
  for (let i = 0; i < 12; i++) {
    const { rawKey } = await make(`/api/identities/${me}/api-keys`, { name: `k${i}`, scopes: Permission.options });
    keys.push(rawKey);
  }
  const { updatedAtUtc: _, ...settings } = (await server.call('GET', '/api/ai-router/settings')).body.data;
  routerSettings = settings;
  memoryBefore = heldBytes();
});
// Settings that were taken are followed: with a time limit of a second answers would be late on a busy machine.
afterEach(async ({ task }) => {
  if (task.name.includes('AISettings_replace')) await server.call('PUT', '/api/ai-router/settings', routerSettings);
});
afterAll(async () => {
  await server.close();
  await modelServer.close();
  await rm(folder, { recursive: true, force: true });
});

/** A path of something that is there, so that the request gets past the look-up. */
const paths = new Map<string, Promise<string>>();
function pathOf({ id, template }: ListedOperation): Promise<string> {
  if (paramsOf(template).length === 0) return Promise.resolve(template);
  const known = paths.get(id) ?? samplePath(id, template);
  paths.set(id, known);
  return known;
}
async function samplePath(id: string, template: string): Promise<string> {
  const sample = needGit.has(id) && !hasGit ? null : await samples[id]?.sample(maker);
  return fillPath(template, (name) => sample?.params[name] ?? 1);
}

let sent = 0;
async function send(listed: ListedOperation, bad: BadRequest, given?: string) {
  const { operation, method } = listed;
  const path = given ?? (await pathOf(listed));
  const others = [...new URLSearchParams(smallestQuery(operation))].filter(
    ([name]) => !bad.query?.startsWith(`${name}=`),
  );
  const query = [bad.query ?? '', new URLSearchParams(others).toString()].filter(Boolean).join('&');
  const hasBody = method !== 'GET' && bad.body !== undefined;
  const abort = new AbortController();
  const response = await fetch(`${server.url}${path}${query ? `?${query}` : ''}`, {
    method,
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${keys[sent++ % keys.length]}`,
      ...(hasBody ? { 'content-type': bad.contentType ?? 'application/json' } : {}),
    },
    ...(hasBody ? { body: bad.body as NonNullable<RequestInit['body']> } : {}),
  });
  // Of an event stream the head is the answer.
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    abort.abort();
    return { status: response.status, body: null };
  }
  const text = await response.text();
  return { status: response.status, body: response.ok ? null : JSON.parse(text) };
}

const codes = new Set<string>(Object.keys(errorStatus));

/** What is wrong with an answer; null when nothing is. */
function complaint({ status, body }: Awaited<ReturnType<typeof send>>, wanted: number | undefined): string | null {
  if (wanted !== undefined && status !== wanted) return `answered ${status} and not ${wanted}: ${body?.error}`;
  // What nobody has set up cannot be used, and says how to set it up; nor can a route that these very requests have spoilt.
  const excused =
    body?.errorCode === 'NOT_CONFIGURED' ||
    (body?.errorCode === 'NO_ROUTE_AVAILABLE' && !JSON.stringify(body.error).includes('The scripted provider'));
  if (status >= 500 && !(excused && body.hint)) return `answered ${status}: ${body?.error}`;
  if (status < 300) return null;
  if (status < 400 || body?.ok !== false || body.data !== null) return `${status} without an envelope`;
  if (!codes.has(body.errorCode)) return `has the unknown code ${body.errorCode}`;
  if (!body.hint || !body.error) return `gives no hint: ${body.error}`;
  return null;
}

async function complaints(listed: ListedOperation, requests: readonly BadRequest[]): Promise<string[]> {
  const found: string[] = [];
  for (const bad of requests) {
    const what = complaint(await send(listed, bad), bad.status);
    if (what) found.push(`${listed.id}, ${bad.label}: ${what}`);
  }
  return found;
}

// What deletes comes last, so that the others find something.
const ordered = [...operations].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
const withBody = ordered.filter(({ method }) => method !== 'GET');

describe('fuzz', () => {
  it.each(withBody)('$id refuses bad bodies', async (listed) => {
    expect(await complaints(listed, badBodies(listed.operation))).toEqual([]);
  });

  it.each(ordered)('$id refuses bad queries', async (listed) => {
    const requests = badQueries(listed.operation).map((bad) => ({ ...bad, body: '{"nonsense":1}' }));
    expect(await complaints(listed, requests)).toEqual([]);
  });

  // To a front-end kit a chat that nobody has begun is no error: nothing is going on in it.
  const finding = ordered.filter(({ id, template }) => id !== 'ChatUi_resume' && paramsOf(template).length > 0);
  it.each(finding)('$id knows no other ids', async (listed) => {
    const body = smallestBody(listed.operation);
    const bad = { label: 'id', ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    for (const id of [
      '0',
      '999999999',
      '9007199254740991',
      '9007199254740993',
      '-1',
      '1.0',
      '%00',
      '%ff',
      'x'.repeat(600),
    ]) {
      const path = listed.template.replaceAll(/\{\w+\}/g, id);
      const answer = await send(listed, bad, path);
      expect([id, complaint(answer, undefined), answer.status >= 400 && answer.status < 500]).toEqual([id, null, true]);
    }
  });

  it.each(withBody.filter(({ operation }) => randomBodies(operation)))(
    '$id takes or refuses any body',
    async (listed) => {
      const bodies = randomBodies(listed.operation) as fc.Arbitrary<unknown>;
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const answer = await send(listed, { label: 'random', body: JSON.stringify(body) });
          expect(complaint(answer, undefined)).toBeNull();
        }),
        { numRuns: 15 },
      );
    },
  );

  it('leaves the server well', async () => {
    const health = await server.call('GET', '/api/system/health');
    expect(health.body.data.status).toBe('Healthy');
    expect((await server.call('GET', '/api/system/ready')).status).toBe(200);
    expect((await server.call('GET', '/api/agent/runs?pageSize=200')).status).toBe(200);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(heldBytes() - memoryBefore).toBeLessThan(200 * 2 ** 20);
  });
});
