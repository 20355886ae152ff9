// Failed sign-ins with a name: a few are free, then each one locks the name for twice as long, up to a limit.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../test/support/auth-world.ts';
import { Fault } from '../kernel/fault.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import type { UserDoc } from './documents.ts';
import { createLockout, type Lockout } from './lockout.ts';

let world: Awaited<ReturnType<typeof createAuthWorld>>;
/** A clock that nothing else hangs on. */
let clock: SimulatedClock;
let lockout: Lockout;
beforeEach(async () => {
  world = await createAuthWorld();
  clock = new SimulatedClock();
  lockout = createLockout({ auth: world.auth, clock });
});
afterEach(() => world.close());

/** Seconds to wait; null where the attempt may be made. */
const attempt = async (name = 'ada', by = lockout): Promise<number | null> => {
  try {
    await by.attempt(name);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toBe('ACCOUNT_LOCKED');
    return error.retryAfterSeconds ?? 0;
  }
};
/** Attempts that may be made before the name is locked. */
const untilLocked = async () => {
  let made = 0;
  while ((await attempt()) === null) made++;
  return made;
};

it('locks a name after some failures, in any case and spacing, and no other', async () => {
  const free = await untilLocked();
  expect(free).toBeGreaterThanOrEqual(3);
  expect(free).toBeLessThanOrEqual(10);
  expect(await attempt(' ADA ')).toBeGreaterThan(0);
  expect(await attempt('grace')).toBeNull();
  // Another node knows of it, too.
  expect(await attempt('ada', createLockout({ auth: world.auth, clock }))).toBeGreaterThan(0);
});

it('locks for twice as long after each further failure, up to a limit', async () => {
  await untilLocked();
  const waits: number[] = [];
  for (let i = 0; i < 20; i++) {
    const wait = (await attempt()) as number;
    waits.push(wait);
    await clock.advance((wait - 1) * 1000);
    expect(await attempt()).toBeGreaterThan(0);
    await clock.advance(1000);
    expect(await attempt()).toBeNull();
  }
  expect(waits[1]).toBe(2 * (waits[0] as number));
  expect(waits[2]).toBe(4 * (waits[0] as number));
  const longest = waits.at(-1) as number;
  expect(waits.at(-2)).toBe(longest);
  expect(longest).toBeLessThanOrEqual(24 * 3600);
});

it('forgets after a success, and counts each of many that try at once', async () => {
  const free = await untilLocked();
  await lockout.succeeded('Ada');
  const answers = await Promise.all(Array.from({ length: 50 }, () => attempt()));
  expect(answers.filter((one) => one === null)).toHaveLength(free);
});

it('keeps the right password out, too, while the name is locked', async () => {
  const { tenantId } = await world.boot({ adminKey: null });
  const user = (await world.auth.users.findOne({ tenantId })) as UserDoc;
  await world.accounts.setPassword(user, 'a few right words', null);
  const client = { ip: null, userAgent: null, mfaCode: null, remember: false };
  const signIn = (password: string) => world.signIn.withPassword(user.username, password, client);
  await signIn('a few right words');
  for (let i = 0; i < 10; i++)
    await expect(signIn('wrong words')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  await expect(signIn('a few right words')).rejects.toMatchObject({ code: 'ACCOUNT_LOCKED' });
  await world.clock.advance(31_000);
  await signIn('a few right words');
});

it('locks nobody out for the years that a clock was ahead, nor lets guesses through when it is minutes off', async () => {
  clock.jump(10 * 365 * 86_400_000);
  await untilLocked();
  clock.jump(-10 * 365 * 86_400_000);
  expect(await attempt()).toBeNull();
  expect(await attempt()).toBeGreaterThan(0);
  clock.jump(-60_000);
  expect(await attempt()).toBeGreaterThan(0);
});
