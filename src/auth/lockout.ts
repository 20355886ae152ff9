// Lockout: limits password guessing by locking a login name after some failures, longer each time.
import { type Clock, clocksDifferMs } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { AuthCollections } from './collections.ts';
import type { AttemptsDoc } from './documents.ts';
import { hashSecret } from './keys.ts';

/**
 * Failures before a name is locked; the constants below give the first duration, which doubles with each further
 * one.
 */
const free = 10;
const firstLockMs = 30_000;
const longestLockMs = 3_600_000;

export interface Lockout {
  /**
   * Call before checking credentials: counts the attempt as a failure, so that concurrent attempts all count. Names
   * that no
   * user has are locked like others.
   *
   * @throws Fault ACCOUNT_LOCKED
   */
  attempt(name: string): Promise<void>;
  /**
   * Clears the count after a successful attempt. With `shared`, several users have the name: only this attempt is
   * uncounted, so that one user cannot clear the guesses on another.
   */
  succeeded(name: string, options?: { shared?: boolean }): Promise<void>;
}

const lockMs = (failures: number) => Math.min(longestLockMs, firstLockMs * 2 ** Math.min(failures - free, 20));

export function createLockout({ auth, clock }: { auth: Pick<AuthCollections, 'attempts'>; clock: Clock }): Lockout {
  // A password may be typed as a name: names are stored as hashes.
  const idOf = (name: string) => hashSecret(`attempts ${name.trim().toLowerCase()}`);

  const count = async (_id: string, known: AttemptsDoc | null): Promise<boolean> => {
    const failures = (known?.failures ?? 0) + 1;
    const now = clock.now();
    const lockedUntil = failures >= free ? new Date(now + lockMs(failures)) : null;
    const next = { failures, lockedUntil, lastAt: new Date(now) };
    if (known)
      return (await auth.attempts.updateOne({ _id, failures: known.failures }, { $set: next })).matchedCount > 0;
    try {
      await auth.attempts.insertOne({ _id, ...next });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  };

  return {
    async attempt(name) {
      const _id = idOf(name);
      for (;;) {
        const known = await auth.attempts.findOne({ _id });
        const locked = (known?.lockedUntil?.getTime() ?? 0) - clock.now();
        // A lock that would last for longer was made by a clock that was ahead.
        const isReal = locked <= lockMs(known?.failures ?? 0) + clocksDifferMs;
        if (locked > 0 && isReal) throw lockedFor(Math.ceil(locked / 1000));
        if (await count(_id, known)) return;
      }
    },
    async succeeded(name, { shared = false } = {}) {
      if (shared) await auth.attempts.updateOne({ _id: idOf(name) }, { $inc: { failures: -1 } });
      else await auth.attempts.deleteOne({ _id: idOf(name) });
    },
  };
}

const lockedFor = (retryAfterSeconds: number) =>
  new Fault('ACCOUNT_LOCKED', 'There were too many failed sign-ins with this name.', {
    hint: `Try again in ${retryAfterSeconds} s, or set a new password with POST /api/auth/password/forgot.`,
    retryAfterSeconds,
  });
