// The protocol's own conformance suite against /mcp, its door with the suite's tools, and the client, in both eras; what
// fails is listed with the reason.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConformanceClient, startConformanceClient } from '../support/conformance-client.ts';
import { startConformanceServer } from '../support/conformance-server.ts';
import { installSuite, type Suite } from '../support/conformance-suite.ts';
import { hasNodePackage } from '../support/packages.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import type { TestServer } from '../support/test-server.ts';

if (!hasNodePackage) it.skip('npm has a second Node for Linux on x64 only', () => {});

/** It calls tools by names of its own, whose answers it knows; ours are operations, and no fixture stands in for them. */
const ownTools = [
  ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
  ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress', 'json-schema-2020-12'],
];
/** The server has neither resources nor completions, and prompts are text. */
const notOffered = [
  ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  ...['prompts-get-embedded-resource', 'prompts-get-with-image', 'completion-complete'],
];
/** Prompts that it asks for; they are data, which anybody may save. */
const itsPrompts = [
  { command: 'test_simple_prompt', text: 'This is a simple prompt for testing.' },
  { command: 'test_prompt_with_arguments', text: "With arguments: arg1='{{arg1}}', arg2='{{arg2}}'" },
];
/** It asks nothing of its clients, by tools of the suite's names. */
const asksNothing2025 = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
];
const asksNothing2026 = [
  ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'],
  ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'],
].map((name) => `input-required-result-${name}`);
/** Tasks of tools of the suite's names: ours are runs, which no fixture stands in for. */
const ownTasks = [
  ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input', 'request-headers'],
  ...['dispatch-and-envelope', 'required-task-error', 'mrtr-composition'],
].map((name) => `tasks-${name}`);

/** Of those, what no task of ours does. */
const otherTasks = [
  // One of its checks: the call of a task fails by a fault of protocol. A run that fails is a result, with `isError`.
  'lifecycle',
  // It answers a form of the suite's own, whatever was asked for: ours asks for a decision.
  'mrtr-input',
  // A tool that is refused to clients without tasks: ours answers them when the run rests.
  'required-task-error',
  // A call that asks before it is a task: a run asks when it has begun.
  'mrtr-composition',
].map((name) => `tasks-${name}`);

const expected = {
  '2025-11-25': {
    passed: 38,
    // Without sessions nobody subscribes or sets a level of logging.
    failing: [
      ...ownTools,
      ...notOffered,
      ...asksNothing2025,
      ...['tools-call-with-logging', 'logging-set-level', 'resources-subscribe', 'resources-unsubscribe'],
    ],
  },
  '2026-07-28': {
    passed: 106,
    failing: [
      ...ownTools,
      ...notOffered,
      ...asksNothing2026,
      ...ownTasks,
      // Four of its 28 checks need tools of the suite's names.
      'server-stateless',
      // Two of its seven checks are about resources.
      'caching',
      // No tool has parameters in headers.
      'http-custom-header-server-validation',
    ],
  },
} as const;

/** The same suite with the tools that it wants, behind the same door. */
const expectedOfDoor = {
  '2025-11-25': {
    passing: 27,
    // Without sessions nothing is asked of clients of this era, and nobody subscribes.
    failing: [...asksNothing2025, 'resources-subscribe', 'resources-unsubscribe'],
  },
  // All that is required. The door hands on the headers that it knows, so no tool has parameters in others.
  '2026-07-28': { passing: 45, failing: [...otherTasks, 'http-custom-header-server-validation'] },
} as const;

/** Further ways of machines to sign in, which the specification has as extensions. */
const extensions = [
  // A machine as itself is a connector with OAuth2ClientCredentials, whose tokenUrl is given, not found.
  ...['client-credentials-jwt', 'client-credentials-basic'],
  // Tokens of workloads and of an enterprise's own provider, and tokens that are bound to a key.
  ...['enterprise-managed-authorization', 'wif-jwt-bearer', 'dpop', 'dpop-nonce'],
].map((name) => `auth/${name}`);

const expectedOfClient = {
  '2025-11-25': {
    passing: 19,
    failing: extensions,
  },
  '2026-07-28': { passing: 33, failing: extensions },
} as const;

const revisions = ['2025-11-25', '2026-07-28'] as const;

interface Front {
  url: string;
  close(): void;
}

/** The server with a key on each request, since the suite knows none. */
async function withKey(target: string, key: string): Promise<Front> {
  const front = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const sent = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    close: () => {
      front.closeAllConnections();
      front.close();
    },
  };
}

describe.runIf(hasNodePackage)('the conformance suite', () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await installSuite();
  });
  afterAll(() => suite?.remove());

  describe('of servers', () => {
    let world: ServerWithModel;
    let server: TestServer;
    let door: Awaited<ReturnType<typeof startConformanceServer>>;
    const fronts: Front[] = [];
    beforeAll(async () => {
      [world, door] = await Promise.all([startServerWithModel(), startConformanceServer()]);
      server = world.server;
      for (const prompt of itsPrompts)
        await server.client.prompts.create({ body: { name: prompt.command, ...prompt } });
      fronts.push(await withKey(server.url, server.key), await withKey(door.url, 'of the suite'));
    });
    afterAll(async () => {
      for (const front of fronts) front.close();
      await Promise.all([world?.close(), door?.close()]);
    });
    const run = (front: Front | undefined, revision: string) =>
      suite.run('server', ['--url', `${front?.url}/mcp`], revision);

    it.each(revisions)('of %s fails where it is said why, and nowhere else', async (revision) => {
      const { passed, failing } = await run(fronts[0], revision);
      const { passed: asExpected, failing: known } = expected[revision];
      expect({ passed, failing }).toEqual({ passed: asExpected, failing: [...known].sort() });
    });

    it.each(revisions)('of %s with its own tools fails where it is said why, and nowhere else', async (revision) => {
      const { passing, failing } = await run(fronts[1], revision);
      const { passing: asExpected, failing: known } = expectedOfDoor[revision];
      expect({ passing, failing }).toEqual({ passing: asExpected, failing: [...known].sort() });
    });

    it('has tasks for the client of 2025, which says what it expects of them', async () => {
      const sdk = (file: string) => import(join(suite.folder, 'node_modules/@modelcontextprotocol/sdk/dist/esm', file));
      const [{ Client }, { StreamableHTTPClientTransport }, { CallToolResultSchema }] = await Promise.all([
        sdk('client/index.js'),
        sdk('client/streamableHttp.js'),
        sdk('types.js'),
      ]);
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${fronts[0]?.url}/mcp`)));
      await client.listTools();
      const { tasks } = client.experimental;
      const call = (goal: string) => tasks.callToolStream({ name: 'run_start', arguments: { goal } });
      const told: { type: string; result?: object }[] = [];
      for await (const message of call('Say hello')) told.push(message);
      expect(told[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working' } });
      expect(told.at(-1)).toMatchObject({ type: 'result', result: { structuredContent: { status: 'Completed' } } });
      world.model.reply({ text: ['Hello'], stallAfter: 0 });
      const second = await call('Take long').next();
      const { taskId } = second.value.task;
      expect((await tasks.listTasks()).tasks[0]).toMatchObject({ taskId, status: 'working' });
      expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
      expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
      expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({ isError: true });
      world.model.release();
      await client.close();
    });
  });

  describe('of clients', () => {
    let client: ConformanceClient;
    beforeAll(async () => {
      client = await startConformanceClient(suite.folder);
    });
    afterAll(() => client?.close());

    // The suite gives each of its clients two minutes.
    it.each(revisions)('of %s fails where it is said why, and nowhere else', { timeout: 300_000 }, async (revision) => {
      const { passing, failing } = await suite.run('client', ['--command', client.command], revision);
      const { passing: asExpected, failing: known } = expectedOfClient[revision];
      expect({ passing, failing }).toEqual({ passing: asExpected, failing: [...known].sort() });
    });
  });
});
