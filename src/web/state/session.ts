// Who is signed in: a key, or a session whose tokens renew themselves, shared by all tabs; and that it has ended.
import { ApiError, type AuthTokenDto, createClient } from '../../client/index.ts';
import { clearDrafts } from '../base/draft.ts';
import { exclusively } from '../base/platform.ts';
import { createStore } from '../base/store.ts';

type Credential =
  | { kind: 'key'; key: string }
  /** The refresh token is in a cookie that no script can read; earlier versions kept it here. */
  | { kind: 'session'; accessToken: string; refreshToken?: string /** ms since the epoch */; expiresAt: number };

const storageKey = 'rivulet.session';
/** Tokens are renewed this long before they end. */
const earlyMs = 60_000;

function load(): Credential | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Credential | null;
  } catch {
    return null;
  }
}

export const credential = createStore<Credential | null>(load());

/** Why the server does not take the credential any more; the page stays as it is until somebody signs in. */
export const ended = createStore<ApiError | null>(null);

function keep(value: Credential | null) {
  ended.set(null);
  if (value) localStorage.setItem(storageKey, JSON.stringify(value));
  else localStorage.removeItem(storageKey);
  credential.set(value);
}

window.addEventListener('storage', (event) => {
  if (event.key !== storageKey) return;
  const kept = load();
  // Another tab signed in, which holds here too.
  if (kept) keep(kept);
  else if (credential.get() && !ended.get())
    ended.set(new ApiError('The session has ended in another tab.', { code: 'UNAUTHENTICATED', status: 401 }));
});

const anonymous = createClient();

function keepTokens(tokens: AuthTokenDto) {
  const expiresAt = Date.now() + tokens.expiresInSeconds * 1000;
  keep({ kind: 'session', accessToken: tokens.accessToken, expiresAt });
}

let renewing: Promise<string | null> | null = null;

function renew(stale: string): Promise<string | null> {
  // One tab at a time: a refresh token works once, and using it twice ends the session.
  renewing ??= exclusively(storageKey, async () => {
    const latest = load();
    if (latest?.kind !== 'session') return null;
    if (latest.accessToken !== stale) {
      credential.set(latest);
      return latest.accessToken;
    }
    const { refreshToken } = latest;
    const tokens = await anonymous.auth.refresh({ body: refreshToken ? { refreshToken, useCookie: true } : {} });
    keepTokens(tokens);
    return tokens.accessToken;
  })
    .catch((error: unknown) => {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) end(error);
      throw error;
    })
    .finally(() => {
      renewing = null;
    });
  return renewing;
}

/** The token for a call; renewed when it is about to end or was refused. */
export async function getToken({ expired }: { expired: boolean }): Promise<string | null> {
  const current = credential.get();
  if (current?.kind === 'key') return current.key;
  if (!current) return null;
  const due = expired || current.expiresAt - Date.now() < earlyMs;
  return due ? renew(current.accessToken) : current.accessToken;
}

/** @throws ApiError when the key is refused */
export async function signInWithKey(key: string) {
  await createClient({ token: key }).auth.me();
  keep({ kind: 'key', key });
}

/** @throws ApiError MFA_REQUIRED where the account has a second factor and no code was given */
export async function signInWithPassword(
  login: string,
  password: string,
  options: { rememberMe: boolean; mfaCode?: string },
) {
  keepTokens(await anonymous.auth.login({ body: { login, password, ...options, useCookie: true } }));
}

/** Has a link mailed to set a new password; the answer is the same whether anybody has the login. */
export const requestPasswordMail = (login: string) => anonymous.auth.forgotPassword({ body: { login } });

export const resetPassword = (token: string, newPassword: string) =>
  anonymous.auth.resetPassword({ body: { token, newPassword } });

export const confirmEmail = (token: string) => anonymous.auth.confirmEmail({ body: { token } });

/** Makes the account of somebody who was invited, and signs them in. */
export async function joinByInvitation(account: {
  inviteToken: string;
  username: string;
  email: string;
  password: string;
}) {
  const { refreshToken } = await anonymous.auth.register({ body: account });
  // Exchanged for one in a cookie, which no script can read.
  if (refreshToken) await signInWithLink(refreshToken);
}

/** Takes the token of a one-time link. */
export async function signInWithLink(token: string) {
  keepTokens(await anonymous.auth.refresh({ body: { refreshToken: token, useCookie: true } }));
}

export const signInProviders = () => anonymous.oauth.providers();

/** Takes the code that a sign-in with a provider came back with. */
export async function signInWithCode(code: string) {
  keepTokens(await anonymous.oauth.exchange({ body: { code, useCookie: true } }));
}

/** Ends the session on the server too, where there is one. */
export async function endSession() {
  const current = credential.get();
  if (current?.kind === 'session') {
    await createClient({ token: current.accessToken })
      .auth.logout()
      .catch(() => undefined);
  }
  clearDrafts();
  keep(null);
}

const tokenOf = (held: Credential | null) => (held?.kind === 'key' ? held.key : (held?.accessToken ?? null));

/** The server refused a call: what is signed in here has ended, unless that call was made with something older. */
export function refused(error: ApiError, token: string | null | undefined) {
  // A wrong password in a form says nothing about the session.
  if (error.code === 'INVALID_CREDENTIALS') return;
  if (token && token === tokenOf(credential.get())) end(error);
}

/** Says that the session is over; nothing on the page is thrown away. */
function end(error: ApiError) {
  localStorage.removeItem(storageKey);
  ended.set(error);
}
