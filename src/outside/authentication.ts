// Shows credentials to the other side, by each method of authentication.
import { createHash, createHmac } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { AuthMethod, ConnectorType } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Credentials } from './credentials.ts';
import type { Door, Going } from './door.ts';

/** Whom a request speaks for. */
export interface Account {
  tenantId: number;
  connectorId: number;
  type: ConnectorType;
  method: AuthMethod;
  credentials: Credentials;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
  /** The refresh token that the other side gave last, as it is kept now. */
  refreshToken(): Promise<string | null>;
  /** Keeps a refresh token that replaces the last one, before it is used. */
  keepRefreshToken(token: string): Promise<void>;
}

export interface Authenticator {
  /** The request as it is sent, with the values in it that are secret. */
  signed(account: Account, going: Going): Promise<{ going: Going; secrets: string[] }>;
  /** Forgets the token of an account, which the other side refused. True where a new one can be had. */
  refused(account: Account): boolean;
}

interface Token {
  text: string;
  expiresAt: number;
}

/** Milliseconds before its end at which a token is renewed. */
const earlyMs = 30_000;
const usualSeconds = 300;
const isOAuth = (method: AuthMethod) => method === 'OAuth2ClientCredentials' || method === 'OAuth2AuthorizationCode';

export function createAuthenticator({ door, clock }: { door: Door; clock: Clock }): Authenticator {
  const tokens = new Map<string, Promise<Token>>();
  const keyOf = ({ tenantId, connectorId, credentials }: Account) =>
    createHash('sha256')
      .update(JSON.stringify([tenantId, connectorId, credentials]))
      .digest('base64');

  const tokenOf = async (account: Account, signal?: AbortSignal): Promise<string> => {
    const key = keyOf(account);
    for (let held = tokens.get(key); held; held = tokens.get(key)) {
      const known = await held.catch(() => null);
      if (known && known.expiresAt - earlyMs > clock.now()) return known.text;
      if (tokens.get(key) === held) tokens.delete(key);
    }
    // One request at a time: a refresh token may be good for one use.
    const asked = askToken({ door, clock }, account, signal);
    tokens.set(key, asked);
    asked.catch(() => tokens.delete(key));
    return (await asked).text;
  };

  return {
    refused: (account) => isOAuth(account.method) && tokens.delete(keyOf(account)),
    signed: async (account, going) => {
      const { credentials, method } = account;
      const headers: Record<string, string> = { ...going.headers, ...account.headers };
      const url = new URL(going.url);
      const secrets = [...Object.values(account.headers), ...secretsIn(credentials)];
      let { tls } = going;
      if (account.type === 'ObjectStorage')
        Object.assign(headers, await awsHeaders(credentials, { ...going, headers }));
      else if (method === 'ApiKey') {
        const name = credentials.name || 'X-API-Key';
        if (credentials.in === 'query') url.searchParams.set(name, credentials.key ?? '');
        else headers[name] = `${credentials.prefix ?? ''}${credentials.key}`;
      } else if (method === 'BearerToken') headers.authorization = `Bearer ${credentials.token}`;
      else if (method === 'Basic') {
        const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
        headers.authorization = `Basic ${pair}`;
        secrets.push(pair);
      } else if (isOAuth(method)) {
        const token = await tokenOf(account, going.signal);
        headers.authorization = `Bearer ${token}`;
        secrets.push(token);
      } else if (method === 'HmacSignature') Object.assign(headers, hmacHeaders(credentials, going, clock));
      else if (method === 'MutualTls') {
        const { cert = '', key = '', ca, passphrase } = credentials;
        tls = { cert, key, ...(ca && { ca }), ...(passphrase && { passphrase }) };
      }
      return { going: { ...going, url, headers, ...(tls && { tls }) }, secrets };
    },
  };
}

/** Parts that say nothing by themselves. */
const open = new Set([
  'name',
  'in',
  'prefix',
  'tokenUrl',
  'authorizationUrl',
  'clientId',
  'scope',
  'audience',
  'username',
  'region',
  'header',
  'algorithm',
  'encoding',
  'timestampHeader',
  'clientAuth',
]);

/** Values of credentials that nobody may see. */
export const secretsIn = (credentials: Credentials): string[] =>
  Object.entries(credentials)
    .filter(([name]) => !open.has(name))
    .map(([, value]) => value);

/** AWS Signature Version 4 for S3 and what speaks like it. */
async function awsHeaders(credentials: Credentials, { url, method = 'GET', headers, body }: Going) {
  const { accessKeyId = '', secretAccessKey = '', sessionToken, region = 'us-east-1' } = credentials;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region,
    ...(sessionToken && { sessionToken }),
  });
  const signed = await client.sign(url.href, { method, headers: headers ?? {}, ...(body && { body }) });
  return Object.fromEntries(signed.headers);
}

/**
 * HMAC over the body, or over `<timestamp>.<body>` where `timestampHeader` is given; hex unless `encoding` is base64.
 */
function hmacHeaders(credentials: Credentials, { body }: Going, clock: Clock): Record<string, string> {
  const { secret = '', header = 'X-Signature', algorithm = 'sha256', encoding = 'hex', prefix = '' } = credentials;
  const { timestampHeader } = credentials;
  const stamp = String(Math.floor(clock.now() / 1000));
  const mac = createHmac(algorithm === 'sha512' ? 'sha512' : 'sha256', secret);
  if (timestampHeader) mac.update(`${stamp}.`);
  const signature = mac.update(body ?? '').digest(encoding === 'base64' ? 'base64' : 'hex');
  return { [header]: `${prefix}${signature}`, ...(timestampHeader && { [timestampHeader]: stamp }) };
}

/** Asks the token endpoint (RFC 6749, 4.4 and 6). @throws Fault CONNECTOR_ERROR that says what the server calls the error */
async function askToken(
  { door, clock }: { door: Door; clock: Clock },
  account: Account,
  signal: AbortSignal | undefined,
): Promise<Token> {
  const { credentials, method, tenantId } = account;
  const { tokenUrl = '', clientId = '', clientSecret, scope, audience } = credentials;
  const isRefresh = method === 'OAuth2AuthorizationCode';
  const refreshToken = (isRefresh ? await account.refreshToken() : null) ?? credentials.refreshToken;
  const inBody = credentials.clientAuth === 'post' || !clientSecret;
  const form = new URLSearchParams({
    grant_type: isRefresh ? 'refresh_token' : 'client_credentials',
    ...(isRefresh && { refresh_token: refreshToken ?? '' }),
    ...(scope && { scope }),
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
  const { access_token: text, expires_in: seconds, refresh_token: next } = said;
  if (answer.status !== 200 || typeof text !== 'string') {
    const why =
      typeof said.error === 'string' ? said.error.replace(/[^\w .-]/g, '').slice(0, 60) : `status ${answer.status}`;
    throw new Fault('CONNECTOR_ERROR', `The token endpoint refused the credentials: ${why}.`, {
      hint: 'Check clientId, clientSecret, scope and tokenUrl of the connector.',
      status: 502,
      field: 'credentials',
    });
  }
  if (typeof next === 'string' && next !== refreshToken) await account.keepRefreshToken(next);
  const lasts = typeof seconds === 'number' && seconds > 0 ? seconds : usualSeconds;
  return { text, expiresAt: clock.now() + Math.min(lasts * 1000, 86_400_000) };
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
