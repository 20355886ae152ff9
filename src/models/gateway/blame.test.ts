// What of a failed call speaks against its provider, and to whom.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ModelRequest } from '../../../runtime/model.ts';
import { gather, modelRequest } from '../../../test/support/model-calls.ts';
import { type FakeServer, startFakeServer } from '../../../test/support/openai-server.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createSdkCalls } from '../providers/open-call.ts';
import type { OpenCall, Plan } from '../providers/target.ts';
import { createGateway, sharedKey } from './gateway.ts';

let server: FakeServer;
let clock: SimulatedClock;
beforeEach(async () => {
  server = await startFakeServer();
  clock = new SimulatedClock();
});
afterEach(() => server.close());

/** A gateway over one provider of the environment that is left alone after a single failure. */
function oneStrike(open: OpenCall = createSdkCalls(), more: Partial<Plan> = {}) {
  const provider = { key: 'fake', name: 'Fake', kind: 'openai-compatible' as const, baseUrl: server.baseUrl };
  const gateway = createGateway({
    directory: {
      plan: () => ({
        targets: [{ modelId: 'fake:one', modelName: 'one', provider, price: null }],
        policy: { circuitFailureThreshold: 1, maxAttempts: 1 },
        ...more,
      }),
      facts: () => null,
      defaultModelId: () => 'fake:one',
    },
    open,
    clock,
    logger: silentLogger,
  });
  return {
    /** Nothing but the clock is waited for. */
    async callFor(ms: number) {
      const answer = gather(gateway.stream(modelRequest()));
      // It has to begin before time goes on.
      await clock.advance(0);
      await clock.advance(ms);
      return answer;
    },
    call: (request: Partial<ModelRequest> = {}) => gather(gateway.stream(modelRequest(request)), clock),
    circuit: (tenantId: number) => gateway.health.snapshot(sharedKey('fake', tenantId)).circuit,
  };
}

/** Says a word, or nothing, every 400 ms. */
const slowly = (delta: string): OpenCall =>
  async function* (_target: unknown, _request: unknown, signal: AbortSignal) {
    for (;;) {
      await clock.sleep(400, signal);
      yield { type: 'text-delta' as const, id: 't', delta };
    }
  } as unknown as OpenCall;

it('an answer that takes longer than its caller allows does not', async () => {
  const { callFor, circuit } = oneStrike(slowly('word '), { timeoutMs: 1000 });
  const { text, error } = await callFor(1000);
  expect(text).toBe('word word ');
  expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', message: 'Fake (fake:one) was not done after 1000 ms.' });
  expect(circuit(1)).toBe('Closed');
});

it('silence does', async () => {
  const { callFor, circuit } = oneStrike(slowly(''), { timeoutMs: 1000 });
  const { error } = await callFor(1000);
  expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', message: 'Fake (fake:one) did not answer in time.' });
  expect(circuit(1)).toBe('Open');
});

it('a request that it cannot be given does not: it never left', async () => {
  const { call, circuit } = oneStrike();
  const image = { type: 'image' as const, mediaType: 'application/zip', data: new Uint8Array([1, 2, 3]) };
  const { error } = await call({ tenantId: 1, messages: [{ role: 'user', content: [image] }] });
  expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('application/zip') });
  expect(server.requests).toEqual([]);
  expect(circuit(1)).toBe('Closed');
});

it('what one tenant takes for an outage keeps no other from calling', async () => {
  const { call, circuit } = oneStrike();
  server.reply({ status: 503 }, { text: ['Here.'] });
  expect((await call({ tenantId: 1 })).error).toMatchObject({ code: 'PROVIDER_ERROR' });
  expect((await call({ tenantId: 1 })).error).toMatchObject({ code: 'NO_ROUTE_AVAILABLE' });
  expect((await call({ tenantId: 2 })).text).toBe('Here.');
  expect([circuit(1), circuit(2)]).toEqual(['Open', 'Closed']);
});
