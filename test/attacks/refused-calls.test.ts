// A provider that refuses a call is not asked the same again, and one run's broken answers keep no other from calling.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import type { SeenRequest } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

/** What is waited before a call is made again passes at once. */
const clock: Clock = { ...hastyClock, sleep: (ms, signal) => hastyClock.sleep(isClosing ? ms : 1, signal) };
let isClosing = false;
let world: ServerWithModel;
beforeAll(async () => {
  world = await startServerWithModel({}, clock);
});
afterAll(() => {
  isClosing = true;
  return world.close();
});
beforeEach(() => void world.model.requests.splice(0));

const api = () => world.server.client.agentRuns;
const asks = (request: SeenRequest, goal: string) => JSON.stringify(request.body.messages).includes(goal);

it.each([400, 401, 403, 404, 422])(
  'a run whose call is refused with %i fails at once, with the reason',
  async (status) => {
    world.model.otherwise = () => ({ status });
    const { id } = await api().create({ body: { goal: 'Say it', autoStart: true } });
    const run = await api().wait({ params: { id }, query: { timeoutMs: 20_000 } });
    expect(run.status).toBe('Failed');
    expect(run.failureReason).toContain(`fake error ${status}`);
    expect(world.model.requests).toHaveLength(1);
  },
);

it('one run whose answers are broken opens the circuit for nobody else', async () => {
  world.model.otherwise = (request) =>
    asks(request, 'Break it') ? { rawFrames: ['data: {broken\n\n'] } : { text: ['All done.'] };
  const broken = await api().create({ body: { goal: 'Break it', autoStart: true } });
  expect(await api().wait({ params: { id: broken.id }, query: { timeoutMs: 60_000 } })).toMatchObject({
    status: 'Failed',
  });
  const sound = await api().create({ body: { goal: 'Say it', autoStart: true } });
  expect(await api().wait({ params: { id: sound.id }, query: { timeoutMs: 2000 } })).toMatchObject({
    status: 'Completed',
  });
});
