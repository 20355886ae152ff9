import { expect, it } from 'vitest';
import { ApiError } from '../client/index.ts';
import { explain } from './failures.ts';

it('hints lead people to pages, not to operations', () => {
  const hint = 'List projects with GET /api/projects.';
  const error = new ApiError('There is no project 77.', { code: 'NOT_FOUND', status: 404, hint });
  expect(explain(error).lines).toEqual(['There is no project 77.', 'List projects under Projects in the dashboard.']);
});
