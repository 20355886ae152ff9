// Sign-in links: by whose secret they were made, and what their holder is to do where it was another.
import { expect, it } from 'vitest';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createSignInLinks, linkMinutes } from './sign-in-links.ts';

const clock = new SimulatedClock();
const [ours, others] = ['a secret of 32 characters, or more', 'another secret of 32 characters...'].map((secret) =>
  createSignInLinks({ secret, clock }),
);

it('tells how a link is made that is of this server, and of one in time', async () => {
  const made = ours?.make() ?? '';
  expect(ours?.verify(made)).toBe(true);
  expect(() => others?.verify(made)).toThrow(
    expect.objectContaining({
      code: 'UNAUTHENTICATED',
      hint: expect.stringMatching(/admin:link.*RIVULET_DATA and RIVULET_SECRET as the server has them/),
    }),
  );
  await clock.advance(linkMinutes * 60_000 + 1000);
  expect(() => ours?.verify(made)).toThrow(expect.objectContaining({ code: 'TOKEN_EXPIRED' }));
});
