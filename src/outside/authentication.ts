// Shows credentials to the other side, by each method of authentication.
import { createHmac } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { ConnectorType } from '../contract/enums.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Credentials } from './credentials.ts';
import type { Door, Going } from './door.ts';
import { createTokenSource, isOAuth, type TokenAccount } from './oauth.ts';

/** Whom a request speaks for. */
export interface Account extends TokenAccount {
  type: ConnectorType;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
}

export interface Authenticator {
  /** The request as it is sent, with the values in it that are secret. */
  signed(account: Account, going: Going): Promise<Signed>;
  /** Forgets the token of a request that the other side refused. True where another one can be had. */
  refused(account: Account, signed: Signed): boolean;
}

export interface Signed {
  going: Going;
  secrets: string[];
  /** The token in it that can be had anew. */
  token: string | null;
}

export function createAuthenticator({ door, clock }: { door: Door; clock: Clock }): Authenticator {
  const source = createTokenSource({ door, clock });
  return {
    refused: (account, { token }) => token !== null && source.refused(account, token),
    signed: async (account, going) => {
      const { credentials, method } = account;
      const headers: Record<string, string> = { ...going.headers, ...account.headers };
      const url = new URL(going.url);
      const secrets = [...Object.values(account.headers), ...secretsIn(credentials)];
      let { tls } = going;
      let token: string | null = null;
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
        token = await source.tokenOf(account, going.signal);
        headers.authorization = `Bearer ${token}`;
        secrets.push(token);
      } else if (method === 'HmacSignature') Object.assign(headers, hmacHeaders(credentials, going, clock));
      else if (method === 'MutualTls') {
        const { cert = '', key = '', ca, passphrase } = credentials;
        tls = { cert, key, ...(ca && { ca }), ...(passphrase && { passphrase }) };
      }
      return { going: { ...going, url, headers, ...(tls && { tls }) }, secrets, token };
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
  'issuer',
  'clientId',
  'scope',
  'audience',
  'username',
  'region',
  'header',
  'algorithm',
  'encoding',
  'timestampHeader',
  'idHeader',
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
