// The whole server over a fake model provider, for end-to-end tests that call models.
import type { Clock } from '../../src/kernel/clock.ts';
import { environmentOf, type FakeServer, startFakeServer } from './openai-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** The model that calls get where nothing else is said; the fake provider answers to any name. */
export const fakeModel = 'openai:fake-model';

export interface ServerWithModel {
  model: FakeServer;
  server: TestServer;
  /** Lets go of answers that stall, and stops both. */
  close(): Promise<void>;
}

export async function startServerWithModel(
  environment: Record<string, string> = {},
  clock?: Clock,
): Promise<ServerWithModel> {
  const model = await startFakeServer();
  const server = await startTestServer({ ...environmentOf(model, fakeModel), ...environment }, null, clock);
  return {
    model,
    server,
    async close() {
      model.release();
      await server.close();
      await model.close();
    },
  };
}
