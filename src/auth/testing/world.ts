// A tenant on an embedded store with a simulated clock, for tests of whatever needs callers.
import { openWorldDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { AnyCollectionSpec } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createIds } from '../../stores/ids.ts';
import { createActing } from '../acting.ts';
import { createAdministrators } from '../administrators.ts';
import { createAuthenticator } from '../authenticator.ts';
import { authCollections, authSpecs } from '../collections.ts';
import { createAccessTokens } from '../jwt.ts';
import { createRanks } from '../rank.ts';
import { createSessions } from '../sessions.ts';
import { setUp } from '../setup.ts';
import { createSignInLinks } from '../sign-in-links.ts';

export const adminKey = 'rvt_test-administrator-key-0123456789';

const secret = 'a secret of more than thirty-two characters';

/** Everything of `src/auth`, wired, over a store with `specs` beside its own; call `close` when done. */
export async function createAuthWorld(specs: readonly AnyCollectionSpec[] = []) {
  const clock = new SimulatedClock();
  const { db, close } = await openWorldDb(clock, [...authSpecs, ...specs]);
  const ids = createIds({ db });
  const auth = authCollections(db);
  const tokens = createAccessTokens({ secret, clock });
  const accessChanged = () => authenticator.forget();
  const links = createSignInLinks({ secret, clock });
  const sessions = createSessions({ auth, ids, tokens, links, clock, accessChanged });
  const authenticator = createAuthenticator({ auth, tokens, clock });
  const ranks = createRanks(auth);
  const boot = (options: { slug?: string; adminKey: string | null }) =>
    setUp({ auth, ids, sessions, clock, secret }, options);
  return {
    clock,
    db,
    ids,
    auth,
    tokens,
    sessions,
    links,
    authenticator,
    ranks,
    acting: createActing({ identities: perTenant(auth.identities), users: perTenant(auth.users), ranks }),
    administrators: createAdministrators({ auth, clock }),
    boot,
    close,
  };
}
