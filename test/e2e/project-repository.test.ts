// Workspaces of a project's runs begin with its repository, which is served here over loopback.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, gitLine, gitVersion } from '../../sandbox/workspace/git.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const hasGit = (await gitVersion().catch(() => null)) !== null;
if (!hasGit) console.info('skipped: repositories of projects, because git is not installed');

const folder = mkdtempSync(join(tmpdir(), 'rivulet-project-repository-'));
const repository = { gitDir: join(folder, 'there.git') };
const read = { name: 'file_read', arguments: { path: 'hello.txt' } };
const turns = [{ toolCalls: [read] }, { toolCalls: [{ name: 'run_complete', arguments: { summary: 'Read.' } }] }];
writeFileSync(join(folder, 'reader.json'), JSON.stringify({ turns }));
writeFileSync(join(folder, 'sandboxes.yaml'), 'privateHosts: true\n');

let host: Server;
let server: TestServer;

/** Commits a file to a branch of the repository, and tells readers over plain HTTP what there is. */
async function commit(branch: string, text: string) {
  const blob = await gitLine(repository, ['hash-object', '-w', '--stdin'], { input: text });
  const tree = await gitLine(repository, ['mktree'], { input: `100644 blob ${blob}\thello.txt\n` });
  const old = await gitLine(repository, ['rev-parse', '--verify', '--quiet', branch], { accept: [0, 1] });
  const names = ['GIT_AUTHOR_', 'GIT_COMMITTER_'].flatMap((who) => [`${who}NAME`, `${who}EMAIL`]);
  const env = Object.fromEntries(names.map((name) => [name, 'there']));
  const sha = await gitLine(repository, ['commit-tree', tree, '-m', text, ...(old ? ['-p', old] : [])], { env });
  await git(repository, ['update-ref', `refs/heads/${branch}`, sha]);
  await git(repository, ['update-server-info']);
}

describe.skipIf(!hasGit)('the repository of a project', () => {
  beforeAll(async () => {
    await git(null, ['init', '--bare', '--quiet', '--initial-branch=main', repository.gitDir]);
    await commit('main', 'first');
    await commit('next', 'of next');
    host = createServer(({ url = '/' }, response) => {
      const path = join(folder, new URL(url, 'http://a').pathname);
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
      return response.end(readFileSync(path));
    });
    await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
    server = await startTestServer({
      RIVULET_SCENARIOS: folder,
      RIVULET_SANDBOX_SETTINGS: join(folder, 'sandboxes.yaml'),
    });
  });
  afterAll(async () => {
    await server.close();
    if (host.listening) host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const url = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}/there.git`;
  const project = async (fields: object): Promise<number> => {
    const { status, body } = await server.call('POST', '/api/projects', { name: 'Code', ...fields });
    expect([status, body.error]).toEqual([200, null]);
    return body.data.id;
  };
  /** What a new run of the project reads. */
  const readBy = async (projectId: number): Promise<string> => {
    const goal = { goal: 'Read.', modelId: 'scripted:reader', autoStart: true, projectId };
    const { id } = (await server.call('POST', '/api/agent/runs', goal)).body.data;
    expect((await server.call('GET', `/api/agent/runs/${id}/wait?timeoutMs=60000`)).body.data.status).toBe('Completed');
    const events = (await server.call('GET', `/api/agent/runs/${id}/events?limit=1000`)).body.data;
    return JSON.stringify(events.filter((one: { toolName: string | null }) => one.toolName === 'file_read'));
  };

  it('is what its runs begin with: the default branch, at its newest', async () => {
    const [main, next] = [
      await project({ repositoryUrl: url() }),
      await project({ repositoryUrl: url(), defaultBranch: 'next' }),
    ];
    expect(await Promise.all([readBy(main), readBy(main), readBy(next)])).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('first'),
      expect.stringContaining('of next'),
    ]);
    await commit('main', 'second');
    expect(await readBy(main)).toContain('second');
  });

  it('may be named later, and is done without while it is away', async () => {
    const id = await project({});
    expect(await readBy(id)).toContain('NOT_FOUND');
    await server.call('PATCH', `/api/projects/${id}`, { repositoryUrl: url() });
    expect(await readBy(id)).toContain('second');
    const never = await project({ repositoryUrl: url(), defaultBranch: 'missing' });
    expect(await readBy(never)).toContain('could not be cloned');
    await new Promise((done) => {
      host.close(done);
      host.closeAllConnections();
    });
    expect(await readBy(id)).toContain('second');
  });
});
