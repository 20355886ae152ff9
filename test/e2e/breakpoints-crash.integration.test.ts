// A server that is killed while a call waits at a breakpoint, and again when it is decided: asked once, made once.
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';

let server: ChildServer;
beforeAll(async () => {
  server = await createChildServer({ RIVULET_SCENARIOS: resolve(import.meta.dirname, '../browser/scenarios') });
  await server.start();
});
afterAll(() => server.close());

it('a call at a breakpoint waits over kills, and its edited arguments are used once', async () => {
  const client = createClient({ baseUrl: server.baseUrl, token: server.key });
  const { agentRuns, agentEscalations, agentRunFiles } = client;
  const breakpoints = [{ before: 'Tool' as const, name: 'file_write' }];
  const body = { goal: 'Greet', modelId: 'scripted:change', autoStart: true, breakpoints };
  const { id } = await agentRuns.create({ body });
  const waiting = () =>
    vi.waitFor(async () => {
      const run = await agentRuns.get({ params: { id } });
      if (run.status !== 'WaitingForDecision') throw new Error(`it is ${run.status}`);
      return (await agentEscalations.list({ query: { runId: id } })).items;
    }, 60_000);
  const asked = await waiting();
  expect(asked.map(({ kind }) => kind)).toEqual(['breakpoint', 'breakpoint']);

  await server.kill();
  await server.start();
  expect((await waiting()).map((one) => one.id)).toEqual(asked.map((one) => one.id));
  expect(await client.agentBreakpoints.list({ params: { runId: id } })).toHaveLength(1);
  const argumentsJson = JSON.stringify({ path: 'edited.md', content: 'By hand.' });
  const resolution = { decision: 'continue', argumentsJson };
  await agentEscalations.resolve({ params: { id: asked[0]!.id }, body: resolution });

  await server.kill();
  await server.start();
  await agentEscalations.resolve({ params: { id: asked[1]!.id }, body: { decision: 'skip' } });
  expect((await agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } })).status).toBe('Completed');
  expect((await agentEscalations.list({ query: { runId: id } })).totalCount).toBe(2);
  const writes = await agentRuns.events({ params: { runId: id }, query: { types: ['ToolCallCompleted'] } });
  expect(writes.filter(({ message }) => message?.includes('edited.md'))).toHaveLength(1);
  expect(await agentRunFiles.read({ params: { runId: id }, query: { path: 'edited.md' } })).toMatchObject({
    text: 'By hand.',
  });
});
