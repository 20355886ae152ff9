// A run that is created with a key of its own: once, however often it is asked for, and nothing else by that key.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure } from '../support/failure.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const create = (idempotencyKey: string, body: object) =>
  server.call('POST', '/api/agent/runs', { goal: 'Look at the sea', idempotencyKey, ...body });
const total = async (): Promise<number> => (await server.call('GET', '/api/agent/runs')).body.data.totalCount;

it('the same request gives the same run, also when that was changed since', async () => {
  const { id } = (await create('same', { role: null })).body.data;
  await server.call('PATCH', `/api/agent/runs/${id}`, { goal: 'Look at the hills' });
  const before = await total();
  expect((await create('same', {})).body.data).toMatchObject({ id, goal: 'Look at the hills' });
  expect(await total()).toBe(before);
});

it('another request with the key is refused, and makes nothing', async () => {
  const { id } = (await create('other', {})).body.data;
  const before = await total();
  const others = [{ goal: 'Look at the hills' }, { autoStart: true }, { poolTokenBudget: 5000 }];
  for (const other of others)
    await failure(create('other', other), 409, 'IDEMPOTENCY_MISMATCH', new RegExp(`run ${id}\\b.*new key`, 's'));
  expect(await total()).toBe(before);
  const { body } = await server.call('GET', `/api/agent/runs/${id}`);
  expect(body.data).toMatchObject({ status: 'Pending', goal: 'Look at the sea' });
});

it('of different requests at once with one key, one makes the run', async () => {
  const goals = Array.from({ length: 6 }, (_, index) => `Look at hill ${index % 2}`);
  const answers = await Promise.all(goals.map((goal) => create('race', { goal })));
  const made = answers.flatMap(({ status, body }) => (status === 200 ? [body.data] : []));
  expect(made).toHaveLength(3);
  expect(new Set(made.map(({ id, goal }) => `${id} ${goal}`)).size).toBe(1);
  expect(answers.filter(({ body }) => body.errorCode === 'IDEMPOTENCY_MISMATCH')).toHaveLength(3);
});
