// Two tenants at work side by side for a minute never get a byte of each other.
import { expect, it } from 'vitest';
import { sideBySide } from '../support/side-by-side.ts';
import { startTestServer } from '../support/test-server.ts';

it('keep all that they get to themselves, for a minute', async () => {
  const server = await startTestServer();
  try {
    const until = performance.now() + 60_000;
    const rounds = await sideBySide(server, () => performance.now() > until);
    console.info(`${rounds} rounds of two tenants side by side`);
    expect(rounds).toBeGreaterThan(2);
  } finally {
    await server.close();
  }
}, 180_000);
