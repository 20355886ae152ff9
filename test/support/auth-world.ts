// A tenant on an embedded store with a simulated clock, for tests that need callers.
import { createActing } from '../../src/auth/acting.ts';
import { authCollections, authSpecs } from '../../src/auth/collections.ts';
import { createRanks } from '../../src/auth/rank.ts';
import { setUp } from '../../src/auth/setup.ts';
import { createSignInLinks } from '../../src/auth/sign-in-links.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import type { AnyCollectionSpec } from '../../src/ports/db.ts';
import type { Mail } from '../../src/ports/mail.ts';
import { createPolicies } from '../../src/ports/tenant-policy.ts';
import { perTenant } from '../../src/ports/tenanted.ts';
import { createIds } from '../../src/stores/ids.ts';
import { openPeople } from '../../src/wiring/people.ts';
import { openWorldDb } from './embedded-db.ts';

export const adminKey = 'rvt_test-administrator-key-0123456789';

const secret = 'a secret of more than thirty-two characters';

/** All of `src/auth`, wired, over a store with `specs` beside its own; call `close` when done. */
export async function createAuthWorld(specs: readonly AnyCollectionSpec[] = []) {
  const clock = new SimulatedClock();
  const { db, close } = await openWorldDb(clock, [...authSpecs, ...specs]);
  const ids = createIds({ db });
  const auth = authCollections(db);
  const mails: Mail[] = [];
  const people = openPeople({
    config: { secret, previousSecrets: [] },
    storage: { auth, ids },
    policies: createPolicies({ db, clock }),
    mailer: { where: 'here', send: async (mail) => void mails.push(mail), close: async () => {} },
    clock,
    log: silentLogger,
    publicUrl: () => 'http://rivulet.test',
    seed: async () => {},
    recheck: () => {},
  });
  const { sessions } = people;
  const ranks = createRanks(auth);
  const boot = (options: { slug?: string; adminKey: string | null }) =>
    setUp({ auth, ids, sessions, clock, secret }, options);
  return {
    clock,
    db,
    ids,
    auth,
    ...people,
    links: createSignInLinks({ secret, clock }),
    /** Mails sent so far, and the token in the newest mail to an address. */
    mails,
    tokenTo: (address: string) => {
      const mail = mails.findLast(({ to }) => to === address);
      return /=(mlt_[\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    },
    ranks,
    acting: createActing({ identities: perTenant(auth.identities), users: perTenant(auth.users), ranks }),
    boot,
    close,
  };
}
