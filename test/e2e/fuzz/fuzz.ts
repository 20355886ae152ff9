// Bad input of every kind to every operation: always a clear refusal, never a fault of the server. What the schemas
// refuse is judged in this process, by the functions of the pipeline; a server gets what they take, and a sample of the
// refused.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../../sandbox/workspace/git.ts';
import { Permission } from '../../../src/contract/enums.ts';
import { defaultPolicy } from '../../../src/ports/tenant-policy.ts';
import { collectOnce } from '../../support/garbage.ts';
import { bytesOf, complaint, type FuzzAnswer, queryOf, refusal, refusalComplaint } from '../../support/judged.ts';
import { type FakeServer, startFakeServer } from '../../support/openai-server.ts';
import { type BadRequest, badBodies, badQueries, randomBodies } from '../../support/operation-fuzz.ts';
import { fillPath, type ListedOperation, operations, paramsOf, smallestBody } from '../../support/operations.ts';
import { type SampleMaker, sampleMaker, sampleScenarios } from '../../support/sample-maker.ts';
import { needGit, samples } from '../../support/samples.ts';
import { gitHubProvider } from '../../support/sign-in-providers.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

/** Files `part-N.walk.test.ts` beside this one. */
export const parts = 2;
/** Random bodies of an operation that are judged here, and those of them that a server gets where the schema takes them. */
const [judgedBodies, sentBodies] = [100, 15];

/** What is left after a collection: how much of the rest a process gives back is up to each version of Node. */
function heldBytes(): number {
  collectOnce();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Operations of one part, whole groups each; what deletes comes last, so that the others find something. */
export function operationsOf(part: number): ListedOperation[] {
  const shares = Array.from({ length: parts }, (): ListedOperation[] => []);
  const names = [...new Set(operations.map(({ group }) => group))];
  const groups = names.map((name) => operations.filter(({ group }) => group === name));
  groups.sort((a, b) => b.length - a.length);
  for (const group of groups) shares.sort((a, b) => a.length - b.length)[0]?.push(...group);
  const share = shares.sort((a, b) => String(a[0]?.id).localeCompare(String(b[0]?.id)))[part - 1] ?? [];
  return share.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

/** A server with samples of everything, and keys and addresses enough that none runs into its rate limit. */
async function startTarget() {
  const modelServer: FakeServer = await startFakeServer();
  const gitHub = await gitHubProvider();
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-fuzz-'));
  for (const [name, scenario] of Object.entries(sampleScenarios))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(scenario));
  const server = await startTestServer({
    RIVULET_MODEL: 'scripted:echo',
    RIVULET_SCENARIOS: folder,
    RIVULET_SITE_BUILDER: 'elsewhere',
    RIVULET_TRUSTED_PROXIES: '127.0.0.1',
    ...gitHub.environment,
  });
  const maker = sampleMaker(server.url, server.key, modelServer.baseUrl);
  const make = async (path: string, body: unknown) => (await server.call('POST', path, body)).body.data;
  const me = (await server.call('GET', '/api/auth/me')).body.data.identity.id;
  const keys: string[] = [];
  // They name every scope, so that operations on the account are reached too.
  for (let i = 0; i < 12; i++) {
    const { rawKey } = await make(`/api/identities/${me}/api-keys`, { name: `k${i}`, scopes: Permission.options });
    keys.push(rawKey);
  }
  const close = async () => {
    await server.close();
    await modelServer.close();
    await gitHub.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { server, close, send: sender(server, keys, createPaths(maker)) };
}

/** Paths of something that is there, so that the request gets past the look-up. */
function createPaths(maker: SampleMaker) {
  const paths = new Map<string, Promise<string>>();
  const hasGit = gitVersion().then(
    (version) => version !== null,
    () => false,
  );
  const samplePath = async (id: string, template: string): Promise<string> => {
    const sample = needGit.has(id) && !(await hasGit) ? null : await samples[id]?.sample(maker);
    return fillPath(template, (name) => sample?.params[name] ?? 1);
  };
  return ({ id, template }: ListedOperation): Promise<string> => {
    if (paramsOf(template).length === 0) return Promise.resolve(template);
    const known = paths.get(id) ?? samplePath(id, template);
    paths.set(id, known);
    return known;
  };
}

function sender({ url }: TestServer, keys: readonly string[], pathOf: (listed: ListedOperation) => Promise<string>) {
  let sent = 0;
  return async (listed: ListedOperation, bad: BadRequest, given?: string): Promise<FuzzAnswer> => {
    const path = given ?? (await pathOf(listed));
    const query = queryOf(listed, bad);
    const body = bytesOf(listed, bad);
    const abort = new AbortController();
    const response = await fetch(`${url}${path}${query ? `?${query}` : ''}`, {
      method: listed.method,
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${keys[sent++ % keys.length]}`,
        'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
        ...(body ? { 'content-type': bad.contentType ?? 'application/json' } : {}),
      },
      ...(body ? { body: new Uint8Array(body) } : {}),
    });
    // Of an event stream the head is the answer.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      abort.abort();
      return { status: response.status, body: null };
    }
    const text = await response.text();
    return { status: response.status, body: response.ok ? null : JSON.parse(text) };
  };
}

/** Ids that nothing has. */
const noIds = ['0', '999999999', '9007199254740991', '9007199254740993', '-1', '1.0', '%00', '%ff', 'x'.repeat(600)];

/** The tests of one part of the operations. */
export function fuzz(part: number): void {
  let target: Awaited<ReturnType<typeof startTarget>>;
  let memoryBefore = 0;
  let routerSettings: object = {};
  const ordered = operationsOf(part);
  const withBody = ordered.filter(({ method }) => method !== 'GET');

  beforeAll(async () => {
    target = await startTarget();
    const { updatedAtUtc: _, ...settings } = (await target.server.call('GET', '/api/ai-router/settings')).body.data;
    routerSettings = settings;
    memoryBefore = heldBytes();
  });
  // Settings that were taken are followed: with a time limit of a second answers would be late on a busy machine.
  afterEach(async ({ task }) => {
    if (task.name.includes('TenantPolicy_replace'))
      await target.server.call('PUT', '/api/tenant-policy', defaultPolicy);
    if (task.name.includes('Maintenance_start'))
      await target.server.call('POST', '/api/system/maintenance', { task: 'ExitMaintenanceMode' });
    if (task.name.includes('Infrastructure_control'))
      await target.server.call('POST', '/api/infrastructure/queues/runs/control', { action: 'Resume' });
    if (task.name.includes('AISettings_replace'))
      await target.server.call('PUT', '/api/ai-router/settings', routerSettings);
  });
  afterAll(() => target.close());

  /** Bodies above a limit are refused before anything is read of them: one for each method and limit is enough. */
  const limitsTried = new Set<string>();
  const isNews =
    ({ method, operation }: ListedOperation) =>
    ({ status }: BadRequest): boolean => {
      const limit = `${method} ${operation.maxBodyBytes}`;
      if (status !== 413) return true;
      return !limitsTried.has(limit) && limitsTried.add(limit).size > 0;
    };

  /** What is wrong with the answers: of the refused one is sent, another kind with each operation. */
  async function complaints(listed: ListedOperation, requests: readonly BadRequest[]): Promise<string[]> {
    const found: (string | null)[] = [];
    const judged = requests.filter(isNews(listed)).map((bad) => ({ bad, refused: refusal(listed, bad) }));
    const note = (bad: BadRequest, what: string | null) => found.push(what && `${listed.id}, ${bad.label}: ${what}`);
    for (const { bad, refused } of judged)
      if (refused) note(bad, refusalComplaint(refused, bad.status));
      else note(bad, complaint(await target.send(listed, bad), bad.status));
    const refusals = judged.filter(({ refused }) => refused);
    const sample = refusals[ordered.indexOf(listed) % Math.max(1, refusals.length)];
    if (sample?.refused) note(sample.bad, complaint(await target.send(listed, sample.bad), sample.refused.status));
    return found.filter((what) => what !== null);
  }

  describe('fuzz', () => {
    it.each(withBody)('$id refuses bad bodies', async (listed) => {
      expect(await complaints(listed, badBodies(listed))).toEqual([]);
    });

    it.each(ordered)('$id refuses bad queries', async (listed) => {
      const requests = badQueries(listed.operation).map((bad) => ({ ...bad, body: '{"nonsense":1}' }));
      expect(await complaints(listed, requests)).toEqual([]);
    });

    // To a front-end kit a chat that nobody has begun is no error: nothing is going on in it.
    // Projects are numbers that each tenant chooses: any of them is one, with or without facts.
    const openToAnyId = new Set(['ChatUi_resume', 'Facts_list', 'Facts_search', 'Facts_create']);
    const finding = ordered.filter(({ id, template }) => !openToAnyId.has(id) && paramsOf(template).length > 0);
    it.each(finding)('$id knows no other ids', async (listed) => {
      const body = smallestBody(listed.operation);
      const bad = { label: 'id', ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      for (const id of noIds) {
        const answer = await target.send(listed, bad, listed.template.replaceAll(/\{\w+\}/g, id));
        expect([id, complaint(answer, undefined), answer.status >= 400 && answer.status < 500]).toEqual([
          id,
          null,
          true,
        ]);
      }
    });

    const withSchema = withBody.filter(({ operation }) => randomBodies(operation));
    it.each(withSchema)('$id takes or refuses any body', async (listed) => {
      const bodies = (randomBodies(listed.operation) as fc.Arbitrary<unknown>).map(
        (body): BadRequest => ({ label: 'random', body: JSON.stringify(body) }),
      );
      const judge = (bad: BadRequest) => {
        const refused = refusal(listed, bad);
        expect(refused && refusalComplaint(refused, undefined)).toBeNull();
        return refused;
      };
      fc.assert(
        fc.property(bodies, (bad) => void judge(bad)),
        { numRuns: judgedBodies },
      );
      await fc.assert(
        fc.asyncProperty(bodies, async (bad) => {
          if (!judge(bad)) expect(complaint(await target.send(listed, bad), undefined)).toBeNull();
        }),
        { numRuns: sentBodies },
      );
    });

    it('leaves the server well', async () => {
      const { server } = target;
      const health = await server.call('GET', '/api/system/health');
      expect(health.body.data.status).toBe('Healthy');
      expect((await server.call('GET', '/api/system/ready')).status).toBe(200);
      expect((await server.call('GET', '/api/agent/runs?pageSize=200')).status).toBe(200);
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(heldBytes() - memoryBefore).toBeLessThan(200 * 2 ** 20);
    });
  });
}
