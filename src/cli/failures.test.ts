import { expect, it } from 'vitest';
import { ApiError } from '../client/index.ts';
import { exitCodes, explain } from './failures.ts';

it('hints lead people to pages, not to operations', () => {
  const hint = 'List projects with GET /api/projects.';
  const error = new ApiError('There is no project 77.', { code: 'NOT_FOUND', status: 404, hint });
  expect(explain(error).lines).toEqual(['There is no project 77.', 'List projects under Projects in the dashboard.']);
});

it('a server that does not answer its proxy is not reached, and a request that a proxy refuses has failed', () => {
  const said = (code: string, status: number) => explain(new ApiError('…', { code, status })).code;
  expect([said('UNAVAILABLE', 502), said('NETWORK', 0)]).toEqual([exitCodes.unreachable, exitCodes.unreachable]);
  expect(said('PAYLOAD_TOO_LARGE', 413)).toBe(exitCodes.failed);
});
