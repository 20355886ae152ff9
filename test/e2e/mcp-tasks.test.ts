// Tasks of MCP at /mcp in both forms: a run begun as a task, what becomes of it, and who finds it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { in2025, in2026, takesTasks } from '../support/mcp-messages.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel();
});
afterAll(() => world?.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Answer = any;

const before = (method: string, params: Answer = {}, key = world.server.key) =>
  in2025(world.server.url, key, method, params);
const now = (method: string, params: Answer, capabilities?: object) =>
  in2026(world.server.url, world.server.key, method, params, capabilities);

const start = (args: object = {}, more: object = {}) => ({
  ...{ name: 'run_start', arguments: { goal: 'Say hello', ...args } },
  ...more,
});
/** Two keys of an identity of its own: one begins and ends runs, the other only reads them. */
async function keysOfAnother(): Promise<string[]> {
  const made = await world.server.call('POST', '/api/identities', { name: 'Other' });
  const path = `/api/identities/${made.body.data.id}/api-keys`;
  const keys = [['RunsRead', 'RunsWrite'], ['RunsRead']].map((scopes) =>
    world.server.call('POST', path, { name: scopes.join(), scopes }),
  );
  return (await Promise.all(keys)).map((key) => key.body.data.rawKey);
}
const unknown = { code: -32_602, message: 'There is no such task.' };

it('carries a run out as a task of 2025-11-25, over a restart', async () => {
  const { tools } = await before('tools/list');
  const capable = tools.filter((tool: Answer) => tool.execution?.taskSupport === 'optional');
  expect(capable.map((tool: Answer) => tool.name)).toEqual(['run_start']);
  // Each run that is no task has ended before the next reply is set: it would take that one.
  await before('tools/call', start());
  world.model.reply({ text: ['Hello', ' again'], stallAfter: 1 });
  const { task } = await before('tools/call', start({ idempotencyKey: 'one' }, { task: { ttl: 60_000 } }));
  const { taskId } = task;
  expect(task).toMatchObject({ status: 'working', ttl: null, pollInterval: 1000 });
  expect((await before('tools/call', start({ idempotencyKey: 'one' }, { task: {} }))).task.taskId).toBe(taskId);
  expect(await before('tasks/get', { taskId })).toMatchObject({ taskId, status: 'working' });
  const result = before('tasks/result', { taskId });
  world.model.release();
  expect(await result).toMatchObject({
    structuredContent: { status: 'Completed', guid: taskId.slice(-36) },
    _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
  });
  await world.server.restart();
  expect(await before('tasks/get', { taskId })).toMatchObject({ status: 'completed', createdAt: task.createdAt });
  const listed = await before('tasks/list');
  expect(listed.tasks).toMatchObject([{ taskId, status: 'completed' }]);
  expect(await before('tasks/list', { cursor: 'x' })).toMatchObject({ code: -32_602 });
  expect(await before('tasks/cancel', { taskId })).toMatchObject({ code: -32_602 });
  // A run that was begun without a task does not become one, and other tools are none.
  await before('tools/call', start({ idempotencyKey: 'two' }));
  const late = await before('tools/call', start({ idempotencyKey: 'two' }, { task: {} }));
  expect(late).toMatchObject({ code: -32_602, message: expect.stringMatching(/which is no task/) });
  expect(await before('tools/call', { name: 'run_list', task: {} })).toMatchObject({ code: -32_601 });
  const wrong = await before('tools/call', start({ goal: '' }, { task: {} }));
  expect(wrong).toMatchObject({ code: -32_602, message: expect.stringMatching(/^VALIDATION_FAILED/) });
});

it('hides a task from everybody else, and asks for the rights of who asks', async () => {
  world.model.reply({ text: ['Hello'], stallAfter: 0 });
  const [mine, reading] = (await keysOfAnother()) as [string, string];
  const { task } = await before('tools/call', start({}, { task: {} }), mine);
  const { taskId } = task;
  const refused = [
    [taskId, world.server.key],
    [`1${taskId}`, mine],
    ['x', mine],
  ] as const;
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    for (const [named, key] of refused) expect(await before(method, { taskId: named }, key)).toEqual(unknown);
  expect((await before('tasks/list')).tasks.map((one: Answer) => one.taskId)).not.toContain(taskId);
  expect((await before('tasks/list', {}, reading)).tasks).toMatchObject([{ taskId, status: 'working' }]);
  expect((await before('tasks/cancel', { taskId }, reading)).message).toMatch(/^FORBIDDEN/);
  expect(await before('tasks/cancel', { taskId }, mine)).toMatchObject({ taskId, status: 'cancelled' });
  expect(await before('tasks/result', { taskId }, mine)).toMatchObject({
    ...{ isError: true, structuredContent: { status: 'Cancelled' } },
  });
  world.model.release();
});

it('carries a run out as a task of the extension, with questions and failures', async () => {
  const sync = await now('tools/call', start(), {});
  expect(sync).toMatchObject({ resultType: 'complete', structuredContent: { status: 'Completed' } });
  world.model.reply({ text: ['Hello'], stallAfter: 0 });
  const task = await now('tools/call', start());
  const { taskId } = task;
  expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 1000 });
  expect(await now('tasks/get', { taskId }, {})).toMatchObject({
    ...{ code: -32_021, data: { requiredCapabilities: takesTasks } },
  });
  expect(await now('tasks/list', {})).toMatchObject({ code: -32_601 });
  expect(await now('tasks/get', { taskId: `1${taskId}` })).toMatchObject(unknown);

  const id = Number.parseInt(taskId, 10);
  const raised = await world.server.call('POST', `/api/agent/runs/${id}/escalate`, { situation: 'Which way?' });
  const key = `escalation-${raised.body.data.id}`;
  world.model.release();
  const waiting = async (status: string) => {
    for (;;) {
      const found = await now('tasks/get', { taskId });
      if (found.status === status) return found;
      if (found.code !== undefined || found.status === 'completed') throw new Error(JSON.stringify(found));
      await world.server.call('GET', `/api/agent/runs/${id}/wait?timeoutMs=50`);
    }
  };
  const asked = await waiting('input_required');
  expect(asked.inputRequests[key]).toMatchObject({ method: 'elicitation/create', params: { message: 'Which way?' } });
  const unable = await now('tasks/get', { taskId }, takesTasks);
  expect(unable).toMatchObject({ status: 'working', statusMessage: expect.stringMatching(/decision.*Which way\?/) });
  const answer = (content: object) => ({ taskId, inputResponses: { [key]: { action: 'accept', content }, x: {} } });
  expect(await now('tasks/update', answer({}))).toMatchObject({ code: -32_602 });
  expect(await now('tasks/update', answer({ decision: 'North' }))).toMatchObject({ resultType: 'complete' });
  const done = await waiting('completed');
  expect(done.result).toMatchObject({ structuredContent: { status: 'Completed' } });
  expect(done.result._meta).toBeUndefined();
  const decided = await world.server.call('GET', `/api/agent/escalations?runId=${id}`);
  expect(decided.body.data.items).toMatchObject([{ status: 'Resolved', decision: 'North' }]);
  expect(await now('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });

  const failing = await now('tools/call', start({ modelId: 'nobody:nothing' }));
  const failed = await world.server.call('GET', `/api/agent/runs/${Number.parseInt(failing.taskId, 10)}/wait`);
  expect(failed.body.data.status).toBe('Failed');
  expect(await now('tasks/get', { taskId: failing.taskId })).toMatchObject({
    ...{ status: 'completed', result: { isError: true, structuredContent: { status: 'Failed' } } },
  });
});
