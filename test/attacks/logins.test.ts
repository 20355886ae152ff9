// A flood of sign-ins with wrong passwords: few of them are looked at, and those who work are not kept waiting.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hastyClock } from '../support/hasty-clock.ts';
import { request, startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  // Time stands still, so that none is forgotten meanwhile.
  const at = Date.now();
  server = await startTestServer({}, null, { ...hastyClock, now: () => at, steady: () => at });
});
afterAll(() => server.close());

it('holds an address back before passwords are checked', async () => {
  const { id } = (await server.call('POST', '/api/agent/runs', { goal: 'Be written to.' })).body.data;
  let answered = 0;
  // Of one name, most would be refused since it is locked.
  const login = async (_: unknown, at: number) => {
    const wrong = { login: `name-${at}`, password: 'wrong password' };
    const answer = await request(server.url, 'POST', '/api/auth/login', wrong);
    answered++;
    return answer;
  };
  const flood = Array.from({ length: 300 }, login);
  const note = await server.call('POST', `/api/agent/runs/${id}/notes`, { content: 'Meanwhile.' });
  expect(note.status).toBe(200);
  const answers = await Promise.all(flood);
  const codes = answers.map(({ body }) => body.errorCode);
  const looked = codes.filter((code) => code !== 'RATE_LIMITED').length;
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThanOrEqual(30);
  const limited = answers.find(({ body }) => body.errorCode === 'RATE_LIMITED');
  expect(limited?.status).toBe(429);
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answered).toBe(300);
});
