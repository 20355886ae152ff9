import { expect, it } from 'vitest';
import { ApiError } from '../../client/index.ts';
import { toApiError } from './resource.ts';

it('hints lead people to pages, not to operations', () => {
  const more = { code: 'NOT_FOUND', status: 404, requestId: 'r1' };
  const error = new ApiError('Gone.', { ...more, hint: 'List projects with GET /api/projects.' });
  expect(toApiError(error)).toMatchObject({ ...more, message: 'Gone.', hint: 'List projects under Projects.' });
  const plain = new ApiError('Gone.', { ...more, hint: 'Wait.' });
  expect(toApiError(plain)).toBe(plain);
});
