// Two tenants at work side by side never get a byte of each other, however much there is of both.
import { expect, it } from 'vitest';
import { sideBySide } from '../support/side-by-side.ts';
import { startTestServer } from '../support/test-server.ts';

/** Of each: a search of memories, which answers ten, then has more of either to choose from. */
const many = 12;

it('keep all that they get to themselves, round after round', async () => {
  const server = await startTestServer();
  try {
    expect(await sideBySide(server, (rounds) => rounds >= many)).toBe(2 * many);
  } finally {
    await server.close();
  }
}, 180_000);
