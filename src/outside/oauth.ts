// Access tokens of OAuth 2: asked for, kept and renewed; a refresh token is used by one at a time, whoever needs it.
import { createHash } from 'node:crypto';
import type { AuthMethod } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Credentials } from './credentials.ts';
import type { Door } from './door.ts';
import { untilAborted } from './until-aborted.ts';

/** What a person's sign-in gave. */
export interface Tokens {
  accessToken: string;
  /** ms since 1970; null where the other side named no end. */
  expiresAt: number | null;
  /** Null where the other side gave none: its end is the end. */
  refreshToken: string | null;
  /** By what they are renewed, as `renew` of the account reads it; absent where the credentials say it. */
  grant?: string;
}

/** Tokens of one connector as all nodes see them. */
export interface KeptTokens {
  read(): Promise<Tokens | null>;
  /** The right to renew them; null while another one has it, here or on another node. */
  claim(): Promise<Renewal | null>;
}

export interface Renewal {
  /** Keeps what replaces them, unless the right was lost meanwhile. */
  keep(tokens: Tokens): Promise<void>;
  release(): Promise<void>;
}

/** Whom tokens are for. */
export interface TokenAccount {
  tenantId: number;
  connectorId: number;
  method: AuthMethod;
  credentials: Credentials;
  tokens: KeptTokens;
  /** Renews tokens that have a grant. @throws Fault */
  renew?(kept: { grant: string; refreshToken: string }): Promise<Tokens>;
}

export interface TokenSource {
  /** @throws Fault CONNECTOR_ERROR with the field `credentials` where the other side gives none */
  tokenOf(account: TokenAccount, signal?: AbortSignal): Promise<string>;
  /** Forgets a token, which the other side refused. True where another one can be had. */
  refused(account: TokenAccount, token: string): boolean;
}

interface Held {
  text: string;
  expiresAt: number;
}

interface Deps {
  door: Pick<Door, 'request'>;
  clock: Clock;
}

/** Milliseconds before its end at which a token is renewed. */
const earlyMs = 30_000;
const usualSeconds = 300;
/** Milliseconds that one waits for another one's renewal, and between two looks. */
const patienceMs = 25_000;
const lookMs = 100;

export const isOAuth = (method: AuthMethod): boolean =>
  method === 'OAuth2ClientCredentials' || method === 'OAuth2AuthorizationCode';

export function createTokenSource(deps: Deps): TokenSource {
  const { clock } = deps;
  /** Tokens of client credentials, which each process has for itself. */
  const own = new Map<string, Promise<Held>>();
  /** Renewals under way in this process, and the tokens that were refused. */
  const renewals = new Map<string, Promise<string>>();
  const refusals = new Map<string, string>();
  const keyOf = ({ tenantId, connectorId, credentials }: TokenAccount) =>
    createHash('sha256')
      .update(JSON.stringify([tenantId, connectorId, credentials]))
      .digest('base64');

  const ownToken = async (account: TokenAccount, signal?: AbortSignal): Promise<string> => {
    const key = keyOf(account);
    for (let held = own.get(key); held; held = own.get(key)) {
      const known = await held.catch(() => null);
      if (known && known.expiresAt - earlyMs > clock.now()) return known.text;
      if (own.get(key) === held) own.delete(key);
    }
    const asked = askToken(deps, account, { grant_type: 'client_credentials' }, signal).then(
      ({ accessToken, expiresAt }) => ({
        text: accessToken,
        expiresAt: expiresAt ?? clock.now() + usualSeconds * 1000,
      }),
    );
    own.set(key, asked);
    asked.catch(() => own.delete(key));
    return (await asked).text;
  };

  const isGood = (tokens: Tokens | null, key: string): tokens is Tokens =>
    tokens !== null && !isEnding(tokens, clock) && tokens.accessToken !== refusals.get(key);

  /** The kept token, or a new one that one process has asked for. */
  const keptToken = async (account: TokenAccount, key: string): Promise<string> => {
    const { tokens: shelf } = account;
    for (const end = clock.steady() + patienceMs; clock.steady() < end; ) {
      const kept = await shelf.read();
      if (isGood(kept, key)) return kept.accessToken;
      const renewal = await shelf.claim();
      if (renewal)
        try {
          const latest = await shelf.read();
          return isGood(latest, key) ? latest.accessToken : await renew(deps, account, latest, renewal);
        } finally {
          await renewal.release();
        }
      await new Promise<void>((resolve) => clock.after(lookMs, resolve));
    }
    throw new Fault('CONNECTOR_TIMEOUT', 'Another call is renewing the token of this connector and has not ended.', {
      hint: 'Try again in a minute.',
    });
  };

  return {
    tokenOf: (account, signal) => {
      if (account.method === 'OAuth2ClientCredentials') return ownToken(account, signal);
      const key = keyOf(account);
      const under = renewals.get(key) ?? keptToken(account, key).finally(() => renewals.delete(key));
      renewals.set(key, under);
      // The renewal goes on after an abort: the token that the other side gives must be kept.
      return untilAborted(under, signal);
    },
    refused: (account, token) => {
      const key = keyOf(account);
      if (account.method === 'OAuth2ClientCredentials') return own.delete(key);
      if (account.method !== 'OAuth2AuthorizationCode') return false;
      refusals.set(key, token);
      return true;
    },
  };
}

const isEnding = ({ expiresAt }: Pick<Tokens, 'expiresAt'>, clock: Clock) =>
  expiresAt !== null && expiresAt - earlyMs <= clock.now();

/** A refresh token is good for one use with many servers: what replaces it is kept before it is used. */
async function renew(deps: Deps, account: TokenAccount, kept: Tokens | null, renewal: Renewal): Promise<string> {
  const refreshToken = kept ? kept.refreshToken : (account.credentials.refreshToken ?? null);
  if (refreshToken === null)
    throw refusedCredentials(kept ? 'The sign-in of this connector has ended' : 'Nobody has signed in yet');
  const tokens =
    kept?.grant !== undefined && account.renew
      ? await account.renew({ grant: kept.grant, refreshToken })
      : await askToken(deps, account, { grant_type: 'refresh_token', refresh_token: refreshToken });
  await renewal.keep({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken });
  return tokens.accessToken;
}

/** Exchanges the code of a sign-in (RFC 6749, 4.1.3, with RFC 7636). @throws Fault as `tokenOf` */
export const exchangeCode = (
  deps: Deps,
  account: Omit<TokenAccount, 'tokens'>,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<Tokens> =>
  askToken(deps, account, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });

/** Asks the token endpoint. @throws Fault CONNECTOR_ERROR that says what the server calls the error */
async function askToken(
  { door, clock }: Deps,
  { tenantId, credentials }: Pick<TokenAccount, 'tenantId' | 'credentials'>,
  grant: Record<string, string>,
  signal?: AbortSignal,
): Promise<Tokens> {
  const { tokenUrl = '', clientId = '', clientSecret, scope, audience } = credentials;
  const inBody = credentials.clientAuth === 'post' || !clientSecret;
  // A code bears what was asked for when it was asked for.
  const wanted = grant.grant_type === 'authorization_code' ? {} : { ...(scope && { scope }) };
  const form = new URLSearchParams({
    ...grant,
    ...wanted,
    ...(audience && { audience }),
    ...(inBody && { client_id: clientId }),
    ...(inBody && clientSecret && { client_secret: clientSecret }),
  });
  const basic = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':');
  if (!URL.canParse(tokenUrl))
    throw new Fault('NOT_CONFIGURED', 'tokenUrl of the credentials is no URL.', { isFinal: true });
  const answer = await door.request({
    ...{ tenantId, url: new URL(tokenUrl), method: 'POST', body: form.toString(), redirects: 0 },
    ...(signal && { signal }),
    headers: {
      ...{ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      ...(!inBody && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    },
  });
  const said = readJson(answer.body);
  const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken } = said;
  if (answer.status !== 200 || typeof accessToken !== 'string' || accessToken === '') {
    const why =
      typeof said.error === 'string' ? said.error.replace(/[^\w .-]/g, '').slice(0, 60) : `status ${answer.status}`;
    throw refusedCredentials(`The token endpoint refused the credentials: ${why}`);
  }
  const lasts = Number(seconds) > 0 ? Math.min(Number(seconds) * 1000, 86_400_000 * 365) : null;
  return {
    accessToken,
    expiresAt: lasts === null ? null : clock.now() + lasts,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : null,
  };
}

const refusedCredentials = (what: string) =>
  new Fault('CONNECTOR_ERROR', `${what}.`, {
    hint: 'Check clientId, clientSecret, scope and tokenUrl of the connector; sign in anew with POST /api/connectors/{id}/sign-in.',
    status: 502,
    field: 'credentials',
  });

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
