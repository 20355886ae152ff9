// A server without any sandbox: what needs one fails at once with the cause and the cure, and nothing runs without.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-no-sandbox-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = join(folder, 'sandbox.json');
const socket = join(folder, 'no-engine.sock');
writeFileSync(settings, JSON.stringify({ docker: { socket } }));
/** What a command would leave if it ran. */
const trace = join(folder, 'trace');

describe.each([
  ['that is turned off', { RIVULET_SANDBOX: 'off' }, /turned off.*Set RIVULET_SANDBOX/s],
  [
    'whose engine is missing',
    { RIVULET_SANDBOX: 'docker', RIVULET_SANDBOX_SETTINGS: settings },
    /no engine at \S*no-engine\.sock.*Install Docker/s,
  ],
])('a server with a sandbox %s', (_, environment, causeAndCure) => {
  let server: TestServer;
  let model: FakeServer;
  /** Starts a run and waits for its end. */
  const finish = async (body: object) => {
    const made = await server.call('POST', '/api/agent/runs', { goal: 'Work.', autoStart: true, ...body });
    const { id } = made.body.data;
    return (await server.call('GET', `/api/agent/runs/${id}/wait?timeoutMs=60000`)).body.data;
  };
  beforeAll(async () => {
    model = await startFakeServer();
    server = await startTestServer({
      ...environmentOf(model),
      ...environment,
    });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
  });

  it('ends a run that needs one before its first model call, with cause and cure', async () => {
    const run = await finish({ role: 'coder' });
    expect(run).toMatchObject({ status: 'Failed', iterationsUsed: 0 });
    expect(run.failureReason).toMatch(causeAndCure);
    expect(model.requests).toHaveLength(0);
  });

  it('shows commands to no model, and ends a run that calls one all the same', async () => {
    const command = JSON.stringify({ command: `touch ${trace}` });
    model.reply({ toolCalls: [{ id: 'c1', name: 'shell_exec', arguments: [command] }] });
    const run = await finish({});
    expect(JSON.stringify(model.requests.at(-1)?.body.tools)).not.toContain('shell_exec');
    expect(run.status).toBe('Failed');
    expect(run.failureReason).toMatch(causeAndCure);
    expect(existsSync(trace)).toBe(false);
  });

  it('says so in its readiness, and is ready for everything else', async () => {
    const { body } = await server.call('GET', '/api/system/ready');
    const check = body.data.checks.find((one: { name: string }) => one.name === 'sandbox');
    expect(check).toMatchObject({ required: false, detail: expect.stringMatching(/Turned off|no engine/) });
    expect(body.data.ready).toBe(true);
  });
});
