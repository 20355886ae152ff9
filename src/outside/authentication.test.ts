import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { type Account, createAuthenticator } from './authentication.ts';
import type { Came, Door, Going } from './door.ts';
import type { Tokens } from './oauth.ts';

const asked: Going[] = [];
let answer: object = {};
const door = {
  request: async (going: Going): Promise<Came> => {
    asked.push(going);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)), truncated: false };
  },
} as Door;
let kept: Tokens | null = null;
let isClaimed = false;
const tokens: Account['tokens'] = {
  read: async () => kept,
  claim: async () => {
    if (isClaimed) return null;
    isClaimed = true;
    return {
      keep: async (next) => {
        kept = next;
      },
      release: async () => {
        isClaimed = false;
      },
    };
  },
};
const account = (fields: Partial<Account>): Account => ({
  ...{ tenantId: 1, connectorId: 1, type: 'RestApi', method: 'None', credentials: {}, headers: {} },
  tokens,
  ...fields,
});
const going: Going = { tenantId: 1, url: new URL('https://api.test/a?x=1'), method: 'POST', body: 'hello' };
const signed = async (fields: Partial<Account>, to = going) =>
  (await createAuthenticator({ door, clock: systemClock }).signed(account(fields), to)).going;

describe('authentication', () => {
  it('shows keys, tokens and certificates where their method says', async () => {
    const apiKey = { method: 'ApiKey' as const };
    expect((await signed({ ...apiKey, credentials: { key: 'k' } })).headers).toEqual({ 'X-API-Key': 'k' });
    const { url, headers } = await signed({ ...apiKey, credentials: { key: 'k', in: 'query', name: 'q' } });
    expect([url.href, headers]).toEqual(['https://api.test/a?x=1&q=k', {}]);
    const basic = await signed({ method: 'Basic', credentials: { username: 'u', password: 'p' } });
    expect(basic.headers).toEqual({ authorization: 'Basic dTpw' });
    expect((await signed({ method: 'CustomHeaders', headers: { 'x-a': 'b' } })).headers).toEqual({ 'x-a': 'b' });
    const tls = await signed({ method: 'MutualTls', credentials: { cert: 'C', key: 'K' } });
    expect(tls.tls).toEqual({ cert: 'C', key: 'K' });
  });

  it('signs the body with its time', async () => {
    const credentials = { secret: 's', prefix: 'sha256=', timestampHeader: 'x-time' };
    const { headers = {} } = await signed({ method: 'HmacSignature', credentials });
    const mac = createHmac('sha256', 's').update(`${headers['x-time']}.hello`).digest('hex');
    expect(headers['X-Signature']).toBe(`sha256=${mac}`);
  });

  it('refreshes tokens one at a time, and keeps the new refresh token first', async () => {
    answer = { access_token: 'a1', expires_in: 3600, refresh_token: 'r2' };
    const credentials = { tokenUrl: 'https://id.test/token', clientId: 'c', refreshToken: 'r1' };
    // Two, as on two nodes.
    const [one, other] = [0, 1].map(() => createAuthenticator({ door, clock: systemClock })) as [
      ReturnType<typeof createAuthenticator>,
      ReturnType<typeof createAuthenticator>,
    ];
    const oauth = account({ method: 'OAuth2AuthorizationCode', credentials });
    const all = await Promise.all([one, one, other].map((each) => each.signed(oauth, going)));
    expect(all.map((each) => each.going.headers?.authorization)).toEqual(Array(3).fill('Bearer a1'));
    expect([asked.length, kept?.refreshToken]).toEqual([1, 'r2']);
    expect(String(asked[0]?.body)).toContain('refresh_token=r1');
    answer = { access_token: 'a2', expires_in: 3600, refresh_token: 'r3' };
    const refused = all[0] as Awaited<ReturnType<typeof one.signed>>;
    one.refused(oauth, refused);
    expect((await one.signed(oauth, going)).token).toBe('a2');
    expect(String(asked[1]?.body)).toContain('refresh_token=r2');
    // A refusal that was late says nothing of the new one.
    one.refused(oauth, refused);
    expect([(await one.signed(oauth, going)).token, asked.length]).toEqual(['a2', 2]);
  });

  it('signs requests of object storage as Signature Version 4 says', async () => {
    const secret = 'planted-secret';
    const credentials = { accessKeyId: 'AKID', secretAccessKey: secret, region: 'eu-1' };
    const to = { ...going, method: 'PUT', url: new URL('https://s3.test/bucket/notes%2Fa%20b.txt') };
    const { headers = {} } = await signed({ type: 'ObjectStorage', method: 'ApiKey', credentials }, to);
    const [, scope = '', names = '', signature] =
      /Credential=AKID\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(headers.authorization ?? '') ?? [];
    const values: Record<string, string | undefined> = { ...headers, host: 's3.test' };
    const lines = names
      .split(';')
      .map((name) => `${name}:${values[name]}\n`)
      .join('');
    const canonical = ['PUT', to.url.pathname.replace('%2F', '/'), '', lines, names, headers['x-amz-content-sha256']];
    const digest = createHash('sha256').update(canonical.join('\n')).digest('hex');
    const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n');
    const mac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
    const key = scope.split('/').reduce<string | Buffer>(mac, `AWS4${secret}`);
    expect(signature).toBe(mac(key, text).toString('hex'));
    expect(JSON.stringify(headers)).not.toContain(secret);
  });
});
