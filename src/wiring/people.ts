// Who exists and how they get in: sessions, sign-in, mails, tenants and their policies, put together.
import { createAccounts } from '../auth/accounts.ts';
import { createAdministrators } from '../auth/administrators.ts';
import { createAuthenticator } from '../auth/authenticator.ts';
import { createArrivals } from '../auth/external/arrivals.ts';
import type { SignInProvider } from '../auth/external/provider.ts';
import { createExternalSignIns } from '../auth/external/sign-ins.ts';
import { createAccessTokens, oneTokenKey, type TokenKeys } from '../auth/jwt.ts';
import { createLockout } from '../auth/lockout.ts';
import { createMailTokens } from '../auth/mail-tokens.ts';
import { createSecondFactor } from '../auth/mfa.ts';
import { createGrants } from '../auth/oauth/grants.ts';
import { createOAuthTokens } from '../auth/oauth/tokens.ts';
import { createProof } from '../auth/proof.ts';
import { createSessions } from '../auth/sessions.ts';
import { createSignIn } from '../auth/sign-in.ts';
import { createSignInLinks } from '../auth/sign-in-links.ts';
import { createTenants } from '../auth/tenants.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createVault } from '../kernel/vault.ts';
import type { Mailer } from '../ports/mail.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import type { ProjectAccess } from '../projects/access.ts';
import type { Storage } from './storage.ts';

interface Deps {
  config: Pick<Config, 'secret' | 'previousSecrets'>;
  storage: Pick<Storage, 'auth' | 'ids'> & Partial<Pick<Storage, 'quotas'>>;
  mailer: Mailer;
  policies: Policies;
  /** What the tenant's projects mean for somebody. */
  projectRights?: ProjectAccess['rightsOf'];
  /** Keys of access tokens; one for ever unless given. */
  tokenKeys?: TokenKeys;
  /** Whom people may sign in with; nobody unless given. */
  providers?: readonly SignInProvider[];
  clock: Clock;
  log: Logger;
  publicUrl: () => string;
  /** Makes what a tenant begins with besides its people. */
  seed: (tenantId: number) => Promise<void>;
  /** Called after somebody may have lost rights, when the authenticator has forgotten them. */
  recheck: () => void;
}

export function openPeople(deps: Deps) {
  const { config, storage, mailer, policies, projectRights, clock, publicUrl, seed, recheck } = deps;
  const log = deps.log.child({ domain: 'Auth' });
  const { auth, ids } = storage;
  const { secret } = config;
  const accessChanged = () => {
    authenticator.forget();
    recheck();
  };
  const tokens = createAccessTokens({ secret, clock, keys: deps.tokenKeys });
  const links = createSignInLinks({ secret, clock });
  const oauthTokens = createOAuthTokens({ clock, keys: deps.tokenKeys ?? oneTokenKey(secret) });
  const grants = createGrants({ auth, ids, clock, policies, accessChanged });
  const sessions = createSessions({ auth, ids, tokens, links, policies, clock, accessChanged });
  const authenticator = createAuthenticator({
    auth,
    tokens,
    oauthTokens,
    policies,
    clock,
    ...(projectRights && { projectRights }),
  });
  const lockout = createLockout({ auth, clock });
  const mailTokens = createMailTokens({ auth, ids, clock });
  const administrators = createAdministrators({ auth, clock });
  const secondFactor = createSecondFactor({ auth, vault: createVault({ ...config, purpose: 'second factor' }), clock });
  const tenants = createTenants({ auth, ids, clock, secret, seed });
  const external = createExternalSignIns({
    ...{ auth, sessions, clock },
    providers: deps.providers ?? [],
    arrivals: createArrivals({ auth, ids, tenants, mailTokens, policies, quotas: storage.quotas, clock }),
  });
  return {
    accessChanged,
    external,
    policies,
    tokens,
    oauthTokens,
    grants,
    sessions,
    authenticator,
    lockout,
    mailTokens,
    administrators,
    secondFactor,
    proof: createProof({ auth, lockout, clock }),
    signIn: createSignIn({ auth, sessions, lockout, secondFactor, clock }),
    tenants,
    accounts: createAccounts({
      auth,
      administrators,
      policies,
      tokens: mailTokens,
      lockout,
      mailer,
      clock,
      log,
      publicUrl,
      accessChanged,
    }),
  };
}
export type People = ReturnType<typeof openPeople>;
