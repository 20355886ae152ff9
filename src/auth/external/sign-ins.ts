// Signs people in with a provider: sends the browser there, takes it back once, and gives tokens for a one-time code.
import type { OAuthIntent } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { AuthCollections } from '../collections.ts';
import type { ExternalLoginDoc, ExternalSignInDoc, UserDoc } from '../documents.ts';
import { hashSecret, newSecret, newToken } from '../keys.ts';
import { livePassword, liveUser } from '../live.ts';
import type { ClientInfo, IssuedTokens, Sessions } from '../sessions.ts';
import type { Arrivals } from './arrivals.ts';
import type { SignInProvider } from './provider.ts';

/** How long a person may take at the provider, and a page to use its code, in ms. */
const patienceMs = 10 * 60_000;
const codeMs = 60_000;

export interface Begin {
  intent: OAuthIntent;
  /** Who links a login; null for a sign-in. */
  userId: number | null;
  /** Secret that the browser has and comes back with; null for one that is given it now. */
  browser: string | null;
  redirectUri: string;
  returnUrl: string;
}

/** Where the browser goes on, and what it may hold there. */
export interface Back {
  returnUrl: string;
  /** For the tokens of a sign-in; null once a login is linked. */
  code: string | null;
  login: ExternalLoginDoc;
}

/** A failure of a sign-in that says where the browser goes on. */
export class SignInFault extends Fault {
  readonly returnUrl: string;

  constructor(returnUrl: string, { code, message, hint, cause }: Fault) {
    super(code, message, { cause, ...(hint !== null && { hint }) });
    this.returnUrl = returnUrl;
  }
}

interface Deps {
  auth: AuthCollections;
  providers: readonly SignInProvider[];
  arrivals: Arrivals;
  sessions: Pick<Sessions, 'begin'>;
  clock: Clock;
}

/** The logins of an account, the first one first. */
export const loginsOf = (
  { externalLogins }: Pick<AuthCollections, 'externalLogins'>,
  whose: Pick<UserDoc, 'tenantId'> & { userId: number },
): Promise<ExternalLoginDoc[]> => externalLogins.find(whose, { sort: { _id: 1 } }).toArray();

export type ExternalSignIns = ReturnType<typeof createExternalSignIns>;

export function createExternalSignIns(deps: Deps) {
  const { auth, providers, sessions, clock } = deps;
  const { externalLogins, externalSignIns, users } = auth;
  const later = (ms: number) => new Date(clock.now() + ms);

  return {
    providers,
    /** @throws Fault NOT_FOUND */
    requireKnown: (key: string) => void providerNamed(providers, key),

    async begin(key: string, { intent, userId, browser, redirectUri, returnUrl }: Begin) {
      const provider = providerNamed(providers, key);
      requireIntent(provider, intent);
      const own = browser ?? newSecret();
      const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()];
      const url = await provider.authorizationUrl({ state, nonce, verifier, redirectUri });
      const expiresAt = later(patienceMs);
      await externalSignIns.insertOne({
        _id: hashSecret(state),
        ...{ provider: key, intent, userId, browserHash: hashSecret(own), nonce, verifier, redirectUri, returnUrl },
        ...{ backAt: null, codeHash: null, loginId: null, codeUsedAt: null, expiresAt },
      });
      return { url, state, browser: own, expiresAt };
    },

    /**
     * Takes a browser back, once.
     *
     * @throws Fault GONE for what this browser did not begin, or too long ago
     * @throws SignInFault for all that fails after that
     */
    async comeBack(key: string, browser: string | null, back: URLSearchParams): Promise<Back> {
      const state = back.get('state') ?? '';
      const own = { _id: hashSecret(state), provider: key, browserHash: hashSecret(browser ?? ''), backAt: null };
      const one = await externalSignIns.findOneAndUpdate(own, { $set: { backAt: later(0) } });
      if (!one || one.expiresAt.getTime() <= clock.now())
        throw new Fault('GONE', 'This sign-in is over, or was begun in another browser.', { hint: 'Begin again.' });
      const { returnUrl } = one;
      try {
        if (back.has('error') || !back.has('code'))
          throw new Fault('FORBIDDEN', 'The provider let nobody in.', { hint: 'Begin again, and agree there.' });
        return { returnUrl, ...(await finish(deps, one, back)) };
      } catch (error) {
        throw error instanceof Fault ? new SignInFault(returnUrl, error) : error;
      }
    },

    /** Uses a code up. @throws Fault INVALID_TOKEN, ACCOUNT_DISABLED */
    async exchange(code: string, client: ClientInfo): Promise<IssuedTokens> {
      const fresh = { codeHash: hashSecret(code), codeUsedAt: null, expiresAt: { $gt: later(0) } };
      const one = await externalSignIns.findOneAndUpdate(fresh, { $set: { codeUsedAt: later(0) } });
      const login = one && (await externalLogins.findOne({ _id: one.loginId ?? 0 }));
      if (!login || login.userId === null)
        throw new Fault('INVALID_TOKEN', 'This code is not known, was used, or is too old.', {
          hint: 'Sign in again with the provider.',
        });
      const user = liveUser(await users.findOne({ _id: login.userId, deletedAt: null }));
      // The session is the provider's word, and does not end with a key that a password was set with.
      return sessions.begin({ ...user, passwordKeyId: null }, { ...client, remember: true });
    },

    /** The logins of an account, and whether it can be entered without any one of them. */
    async loginsOf(user: UserDoc): Promise<{ logins: ExternalLoginDoc[]; canUnlink: boolean }> {
      const logins = await loginsOf(auth, { tenantId: user.tenantId, userId: user._id });
      return { logins, canUnlink: logins.length > 1 || (await livePassword(auth, clock, user)) !== null };
    },
  };
}

/** @throws Fault NOT_FOUND */
function providerNamed(providers: readonly SignInProvider[], key: string): SignInProvider {
  const provider = providers.find(({ settings }) => settings.key === key);
  if (provider) return provider;
  throw new Fault('NOT_FOUND', `There is no sign-in provider "${key}".`, {
    hint: 'List them with GET /api/oauth/providers.',
  });
}

/** @throws Fault FORBIDDEN where the operator lets nobody use the provider so */
function requireIntent({ settings }: SignInProvider, intent: OAuthIntent): void {
  if (intent === 'Link' ? settings.allowLink : settings.allowSignIn) return;
  throw new Fault('FORBIDDEN', `${settings.name} is not for that here.`, {
    hint: 'GET /api/oauth/providers says what each is for.',
  });
}

/** Finishes a sign-in that the provider has agreed to. */
async function finish({ auth, providers, arrivals, clock }: Deps, one: ExternalSignInDoc, back: URLSearchParams) {
  const { _id, nonce, verifier, redirectUri, intent, userId } = one;
  const provider = providerNamed(providers, one.provider);
  const asked = { state: back.get('state') ?? '', nonce, verifier, redirectUri };
  const profile = await provider.profileOf(asked, back);
  const keep = (fields: Partial<ExternalSignInDoc>) => auth.externalSignIns.updateOne({ _id }, { $set: fields });
  if (intent === 'Link') {
    const user = liveUser(await auth.users.findOne({ _id: userId ?? 0, deletedAt: null }));
    const login = await arrivals.link(provider.settings, profile, user);
    await keep({ loginId: login._id });
    return { login, code: null };
  }
  const login = await arrivals.arrive(provider.settings, profile);
  const code = newToken('esc_');
  await keep({ codeHash: hashSecret(code), loginId: login._id, expiresAt: new Date(clock.now() + codeMs) });
  return { login, code };
}
