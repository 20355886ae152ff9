// Private repositories of projects: opened by credentials that nobody reads again, and fetched within a quota.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitVersion } from '../../sandbox/workspace/git.ts';
import { loadConfig } from '../../src/config.ts';
import { type RivuletServer, startServer } from '../../src/server.ts';
import { commitFiles, type GitHost, startGitHost } from '../support/git-host.ts';
import { type Person, seedStore } from '../support/people.ts';
import { adminKey, request } from '../support/test-server.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;
if (!hasGit) console.info('skipped: private repositories, because git is not installed');

const secret = 'hush-token-0123456789';
const encoded = Buffer.from(`robot:${secret}`).toString('base64');
const otherKey = 'rvt_private-repository-other-tenant-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'rivulet-private-repository-'));
const dataDir = join(folder, 'data');
const logged: string[] = [];
const answered: string[] = [];
let host: GitHost;
let elsewhere: GitHost;
let server: RivuletServer;
let writer: Person;

async function call(method: string, path: string, body?: unknown, key = adminKey) {
  const answer = await request(server.url, method, path, body, { authorization: `Bearer ${key}` });
  answered.push(JSON.stringify(answer.body));
  return answer;
}

async function project(fields: object, key = adminKey): Promise<number> {
  const { status, body } = await call('POST', '/api/projects', { name: 'Code', ...fields }, key);
  expect([status, body.error]).toEqual([200, null]);
  return body.data.id;
}

/** What a new run of the project reads in hello.txt, or is told instead. */
async function readBy(projectId: number, key = adminKey): Promise<string> {
  const goal = { goal: 'Read.', modelId: 'scripted:reader', autoStart: true, projectId };
  const made = await call('POST', '/api/agent/runs', goal, key);
  expect(made.body.error).toBeNull();
  const { id } = made.body.data;
  await call('GET', `/api/agent/runs/${id}/wait?timeoutMs=60000`, undefined, key);
  const events = (await call('GET', `/api/agent/runs/${id}/events?limit=1000`, undefined, key)).body.data;
  return JSON.stringify(events.filter((one: { toolName: string | null }) => one.toolName === 'file_read'));
}

const credentialsOf = (id: number) => `/api/projects/${id}/repository-credentials`;
const filesOf = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));

describe.skipIf(!hasGit)('a private repository', () => {
  beforeAll(async () => {
    const turns = [
      { toolCalls: [{ name: 'file_read', arguments: { path: 'hello.txt' } }] },
      { toolCalls: [{ name: 'run_complete', arguments: { summary: 'Read.' } }] },
    ];
    writeFileSync(join(folder, 'reader.json'), JSON.stringify({ turns }));
    const settings = 'privateHosts: true\nrepositories: { fetchMb: 1 }\nceilings: { workspaceMb: 4 }\n';
    writeFileSync(join(folder, 'sandboxes.yaml'), settings);
    await commitFiles(folder, 'private.git', { 'hello.txt': 'behind the door' });
    await commitFiles(folder, 'large.git', { 'hello.txt': 'large', 'large.bin': randomBytes(3 << 20) });
    await commitFiles(folder, 'wide.git', { 'hello.txt': 'wide', 'zeros.bin': Buffer.alloc(8 << 20) });
    host = await startGitHost({ folder, account: `robot:${secret}` });
    elsewhere = await startGitHost({ folder, account: `robot:${secret}` });
    const config = loadConfig({
      RIVULET_DATA: dataDir,
      RIVULET_PORT: '0',
      RIVULET_ADMIN_KEY: adminKey,
      RIVULET_SANDBOX: 'off',
      RIVULET_CHECK_RESPONSES: '1',
      RIVULET_SCENARIOS: folder,
      RIVULET_SANDBOX_SETTINGS: join(folder, 'sandboxes.yaml'),
    });
    writer = await seedStore(dataDir, async ({ tenant, person }) => {
      const { tenantId } = await tenant('default', adminKey);
      await tenant('other', otherKey);
      return person(tenantId, 'writer', 'Member');
    });
    server = await startServer({
      durable: false,
      config,
      log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }),
    });
  });
  afterAll(async () => {
    await server.close();
    await Promise.all([host.close(), elsewhere.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is refused without credentials, and cloned with those of its project', async () => {
    const repositoryUrl = `${host.url}/private.git`;
    const id = await project({ repositoryUrl });
    expect(await readBy(id)).toMatch(/CONNECTOR_ERROR.*asks for credentials.*repository-credentials/);
    expect((await call('PUT', credentialsOf(id), { username: 'robot', secret: 'wrong' })).status).toBe(200);
    expect(await readBy(id)).toContain('refuses the credentials');
    const set = await call('PUT', credentialsOf(id), { username: 'robot', secret });
    const shown = { isSet: true, username: 'robot', origin: host.url, setAtUtc: expect.any(String) };
    expect(set.body.data).toEqual(shown);
    expect((await call('GET', credentialsOf(id))).body.data).toEqual(shown);
    expect(await readBy(id)).toContain('behind the door');

    // What one project may fetch is no other's, of this tenant or another.
    const second = await project({ repositoryUrl });
    const theirs = await project({ repositoryUrl }, otherKey);
    expect(await readBy(second)).toContain('asks for credentials');
    expect(await readBy(theirs, otherKey)).toContain('asks for credentials');
    expect((await call('GET', credentialsOf(id), undefined, otherKey)).body.errorCode).toBe('NOT_FOUND');

    // Nobody is shown it: answers and events, the log, the data folder with what models were told, lists of processes.
    const kept = filesOf(dataDir).filter((file) => {
      const bytes = readFileSync(file);
      return bytes.includes(secret) || bytes.includes(encoded);
    });
    const told = [...answered, ...logged, ...host.commands].filter(
      (one) => one.includes(secret) || one.includes(encoded),
    );
    expect([kept, told]).toEqual([[], []]);
    expect(host.seen).toContain(`Basic ${encoded}`);
    expect(logged.length).toBeGreaterThan(0);
  });

  it('is opened by who keeps the project, at the host alone that the credentials were given for', async () => {
    const id = await project({});
    expect((await call('PUT', credentialsOf(id), { secret })).body).toMatchObject({
      errorCode: 'CONFLICT',
      hint: expect.stringContaining('repositoryUrl'),
    });
    await call('PATCH', `/api/projects/${id}`, { repositoryUrl: `${host.url}/private.git` });
    await call('PUT', credentialsOf(id), { username: 'robot', secret });
    await call('PUT', `/api/projects/${id}/members`, { members: [{ userId: writer.userId, role: 'Contributor' }] });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { body } = await call(method, credentialsOf(id), method === 'PUT' ? { secret } : undefined, writer.key);
      expect(body.errorCode).toBe('FORBIDDEN');
    }
    expect((await call('PATCH', `/api/projects/${id}`, { description: 'Other.' })).status).toBe(200);
    expect((await call('GET', credentialsOf(id))).body.data.isSet).toBe(true);
    await call('PATCH', `/api/projects/${id}`, { repositoryUrl: `${elsewhere.url}/private.git` });
    expect((await call('GET', credentialsOf(id))).body.data.isSet).toBe(false);
    expect(await readBy(id)).toContain('asks for credentials');
    expect(elsewhere.seen).toEqual([]);
    await call('PATCH', `/api/projects/${id}`, { repositoryUrl: `${host.url}/private.git` });
    expect((await call('GET', credentialsOf(id))).body.data.isSet).toBe(false);
    await call('PUT', credentialsOf(id), { username: 'robot', secret });
    expect((await call('DELETE', credentialsOf(id))).status).toBe(200);
    expect(await readBy(id)).toContain('asks for credentials');
  });

  it('is fetched within the quota, and laid out within that of its workspace', async () => {
    const before = new Set(filesOf(join(dataDir, 'sandbox')));
    const large = await project({ repositoryUrl: `${host.url}/large.git` });
    expect(await readBy(large)).toMatch(/QUOTA_EXCEEDED.*more than the 1 MiB.*fetchMb/);
    const wide = await project({ repositoryUrl: `${host.url}/wide.git` });
    expect(await readBy(wide)).toMatch(/QUOTA_EXCEEDED.*bytes of files.*workspaceMb/);
    const added = filesOf(join(dataDir, 'sandbox')).filter((file) => !before.has(file));
    const bytes = added.reduce((sum, file) => sum + readFileSync(file).length, 0);
    expect(added.filter((file) => file.includes('incoming-'))).toEqual([]);
    expect(bytes).toBeLessThan(1 << 20);
  });
});
