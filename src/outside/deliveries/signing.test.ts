// Signatures as an independent verifier reads them, and the waits between attempts.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { defaultAttempts, retryAfter, waitAfter } from './retries.ts';
import { newSecret, secretPrefix, signedHeaders } from './signing.ts';

const body = '{"type":"run.ended","data":{"text":"Grüße"}}';

describe('a signature', () => {
  it('is taken by the library of Standard Webhooks, with each secret that holds while one is rotated', () => {
    const [old, next] = [newSecret(), newSecret()];
    const headers = signedHeaders({ id: 'msg_1', at: Date.now(), body, secrets: [next, old] });
    for (const secret of [old, next]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(old).verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => new Webhook(old).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow('No matching signature');
  });

  it('is made with 32 random bytes, of which four characters are shown', () => {
    const secret = newSecret();
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(secretPrefix(secret)).toMatch(/^whsec_.{4}$/);
    expect(secret).not.toBe(newSecret());
  });
});

describe('the waits between attempts', () => {
  it('grow, and make up a day', () => {
    const waits = Array.from({ length: defaultAttempts - 1 }, (_, at) => waitAfter(at + 1, null, () => 0.5));
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    const hours = waits.reduce((sum, one) => sum + one, 0) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
  });

  it('are spread by chance, and as long as the receiver asks, up to a day', () => {
    expect(waitAfter(2, null, () => 0)).toBe(54_000);
    expect(waitAfter(2, null, () => 1)).toBe(66_000);
    expect(waitAfter(1, 120_000, () => 0)).toBe(120_000);
    expect(waitAfter(1, 1e12, () => 0)).toBe(86_400_000);
    expect(waitAfter(50, null, () => 0.5)).toBe(9 * 3_600_000);
  });

  it('read Retry-After as seconds and as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfter('30', now)).toBe(30_000);
    expect(retryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now)).toBe(60_000);
    expect(retryAfter('Thu, 01 Jan 2020 00:01:00 GMT', now)).toBe(0);
    expect([retryAfter('soon', now), retryAfter(undefined, now)]).toEqual([null, null]);
  });
});
