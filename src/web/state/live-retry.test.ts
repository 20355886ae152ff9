import { expect, it } from 'vitest';
import { backoff } from '../../client/stream/live.ts';
import { liveRetry } from './live-retry.ts';

it('tries again within two seconds, however long the server was away', () => {
  for (const attempt of [0, 1, 5, 20, 1000]) expect(backoff(attempt, liveRetry, () => 1)).toBeLessThanOrEqual(2000);
});
