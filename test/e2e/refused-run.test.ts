// A run whose provider refuses its key: tried once, and told in the provider's own words.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

describe('a run whose provider refuses', () => {
  let world: ServerWithModel;
  beforeAll(async () => {
    world = await startServerWithModel();
  });
  afterAll(() => world.close());

  it.each([401, 403])('is not tried again after %s, and says why', async (status) => {
    const { model, server } = world;
    const before = model.requests.length;
    model.otherwise = () => ({ status, body: JSON.stringify({ error: { message: 'Incorrect API key provided.' } }) });
    const { id } = await server.client.agentRuns.create({ body: { goal: 'Say something', autoStart: true } });
    const run = await server.client.agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
    expect(run.status).toBe('Failed');
    expect(run.failureReason).toContain('Incorrect API key provided.');
    expect(run.failureReason).not.toMatch(/Provider_error|ai-compatible/);
    expect(model.requests.length - before).toBe(1);
  });
});
