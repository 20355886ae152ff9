// A tenant on an embedded store with a simulated clock, for tests of whatever needs callers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { openEmbeddedDb } from '../../stores/embedded/db.ts';
import { createIds } from '../../stores/ids.ts';
import { createAuthenticator } from '../authenticator.ts';
import { authCollections, authSpecs } from '../collections.ts';
import { createAccessTokens } from '../jwt.ts';
import { createSessions } from '../sessions.ts';
import { setUp } from '../setup.ts';

export const adminKey = 'rvt_test-administrator-key-0123456789';

/** Everything of `src/auth`, wired; call `close` when done. */
export async function createAuthWorld(secret = 'a secret of more than thirty-two characters') {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-auth-'));
  const clock = new SimulatedClock();
  const db = openEmbeddedDb({ folder, clock, logger: silentLogger, sync: null });
  await db.ensureIndexes(authSpecs);
  const ids = createIds({ db });
  const auth = authCollections(db);
  const tokens = createAccessTokens({ secret, clock });
  const sessions = createSessions({ auth, ids, tokens, clock });
  const authenticator = createAuthenticator({ auth, tokens, clock });
  const boot = (options: { slug?: string; adminKey: string | null }) =>
    setUp({ auth, ids, sessions, clock, secret }, options);
  return {
    clock,
    db,
    ids,
    auth,
    tokens,
    sessions,
    authenticator,
    boot,
    close: async () => {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
