// Two tenants at work side by side never get a byte of each other, in a shortened form.
import { expect, it } from 'vitest';
import { sideBySide } from '../support/side-by-side.ts';
import { startTestServer } from '../support/test-server.ts';

it('keep all that they get to themselves: answers, sockets, streams, searches, the audit log', async () => {
  const server = await startTestServer({ RIVULET_SITE_BUILDER: 'elsewhere' });
  try {
    expect(await sideBySide(server, (rounds) => rounds >= 1)).toBe(2);
  } finally {
    await server.close();
  }
}, 60_000);
