// The server between the official OpenAI client and a fake provider, for tests of what such a client sees.
import OpenAI, { APIError } from 'openai';
import { expect, vi } from 'vitest';
import { startFakeServer } from './openai-server.ts';
import { startTestServer } from './test-server.ts';

export const model = 'openai:fake-model';
export const asked = [{ role: 'user' as const, content: 'Hello?' }];
export const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
export const weatherCalls = [
  { id: 'call_1', name: 'weather', arguments: ['{"ci', 'ty":"Bergen"}'] },
  { id: 'call_2', name: 'weather', arguments: ['{"city":"Oslo"}'] },
];

export const patience = { timeout: 60_000, interval: 20 };

export type OpenAiWorld = Awaited<ReturnType<typeof startOpenAiWorld>>;

export async function startOpenAiWorld(transport: string) {
  const provider = await startFakeServer();
  provider.models = ['fake-model', 'fake-embed'];
  const server = await startTestServer({
    RIVULET_TRANSPORT: transport,
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-of-the-provider',
    RIVULET_MODEL: model,
  });
  return {
    provider,
    server,
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 }),
    /** Body of the newest request to the provider. */
    sent: () => provider.requests.at(-1)?.body,
    /** Waits for the newest entry of the ledger, which is written a moment after the answer. */
    ledgered: (fields: object) =>
      vi.waitFor(async () => {
        const { body } = await server.call('GET', '/api/ai-router/usage/calls?pageSize=1');
        expect(body.data.items[0]).toMatchObject(fields);
      }, patience),
    /** Forgets what the provider was asked before. */
    begin(): void {
      provider.requests.length = 0;
      provider.aborted = 0;
    },
    async close(): Promise<void> {
      provider.release();
      await server.close();
      await provider.close();
    },
  };
}

/** The error that a call of the client ends with. */
export async function failing(work: Promise<unknown>): Promise<APIError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}
