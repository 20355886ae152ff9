// Bad input of every kind, to every operation: a clear error with a hint, and a server that stays up.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Group } from '../../src/contract/operation.ts';
import { groups } from '../../src/groups/index.ts';
import { type BadInput, badInputs } from '../support/bad-inputs.ts';
import { adminKey, request, startTestServer, type TestServer, transports } from '../support/test-server.ts';

const all = badInputs(Object.values(groups) as unknown as Group[], adminKey);

/** What is wrong with the answer to a bad request, or null. */
async function faultOf(baseUrl: string, { name, method, path, headers, body, statuses, named }: BadInput) {
  const answer = await request(baseUrl, method, path, body ?? undefined, headers);
  const say = (what: string) => `${name}: ${what} (${answer.status} ${JSON.stringify(answer.body).slice(0, 300)})`;
  const right = statuses.length ? statuses.includes(answer.status) : answer.status >= 200 && answer.status < 500;
  if (!right) return say(`is not answered by ${statuses.join(', ') || 'an error of the client'}`);
  if (answer.status < 300) return null;
  const { ok, error, errorCode, hint, requestId, data } = answer.body;
  if (ok !== false || data !== null || !error || !errorCode || !requestId) return say('has no whole envelope');
  if (!hint) return say('has no hint');
  const lacking = named.filter((word) => !error.includes(word) && !hint.includes(word));
  return lacking.length ? say(`does not name ${lacking.join(', ')}`) : null;
}

describe.each(transports)('bad input on %s', (transport) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ RIVULET_TRANSPORT: transport });
  });
  afterAll(() => server.close());

  it(`is answered clearly, in ${all.length} ways`, { timeout: 120_000 }, async () => {
    const faults: string[] = [];
    const waiting = [...all];
    const work = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const fault = await faultOf(server.url, next);
        if (fault) faults.push(fault);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(faults).toEqual([]);
    expect((await server.call('GET', '/api/system/health')).status).toBe(200);
  });

  it('refuses bodies above the limit, whatever the operation', async () => {
    const huge = JSON.stringify({ goal: 'x'.repeat(2_000_000) });
    const answer = await server.call('POST', '/api/agent/runs', huge);
    expect([answer.status, answer.body.errorCode]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(answer.body.hint).toBeTruthy();
  });

  it('refuses cursors from nowhere and transitions that cannot be', async () => {
    const run = await server.client.agentRuns.create({ body: { goal: 'Wait.' } });
    const resumed = await server.call('POST', `/api/agent/runs/${run.id}/resume`);
    expect([resumed.status, resumed.body.errorCode]).toEqual([409, 'INVALID_TRANSITION']);
    expect(resumed.body.hint).toBeTruthy();
    const stream = await server.call('GET', `/api/events?topics=run:${run.id}&lastEventId=%7Bnonsense`);
    expect([stream.status, stream.body.errorCode]).toEqual([400, 'INVALID_CURSOR']);
  });
});
