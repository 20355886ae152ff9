// Seals secrets for the database: AES-256-GCM with a key of each tenant's own, derived from the server's secret.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Fault } from './fault.ts';

export interface Vault {
  /** Text to keep, e.g. `v1.3f2a9c.…`; sealing the same text twice gives two different results. */
  seal(tenantId: number, text: string): string;
  /** @throws Fault INTERNAL_ERROR when it was sealed for another tenant, with a lost secret, or changed since */
  open(tenantId: number, sealed: string): string;
  /** Whether it was sealed with an older secret and should be sealed anew. */
  isStale(sealed: string): boolean;
  /** Name of the secret that seals now; it does not reveal the secret. */
  readonly keyId: string;
  /** Names of all secrets that open. */
  readonly keyIds: readonly string[];
  /** Digest that only this server can make of a text, equal for equal texts of a tenant, e.g. `#Zm9v…` (128 bits). */
  digest(tenantId: number, text: string): string;
}

const version = 'v1';

/**
 * A vault over the server's secret. Sealed texts name the secret they were sealed with, so that after a change of the
 * secret those of `previousSecrets` still open until they have been sealed anew.
 *
 * Keys: HKDF-SHA-256 (RFC 5869), `tenant` and `purpose` in its info. Nonces: 96 random bits; the tenant is authenticated.
 */
export function createVault(options: { secret: string; previousSecrets?: readonly string[]; purpose?: string }): Vault {
  const { secret, previousSecrets = [], purpose = 'secrets' } = options;
  const secrets = new Map([...previousSecrets, secret].map((one) => [keyId(one), one]));
  const current = keyId(secret);
  const keys = new Map<string, Buffer>();
  const keyOf = (id: string, tenantId: number, use = purpose): Buffer | null => {
    const from = secrets.get(id);
    if (from === undefined) return null;
    const name = `${id}/${tenantId}/${use}`;
    let key = keys.get(name);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', from, '', `rivulet ${use} ${version} tenant ${tenantId}`, 32));
      keys.set(name, key);
    }
    return key;
  };

  return {
    seal(tenantId, text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(current, tenantId) as Buffer, nonce);
      cipher.setAAD(Buffer.from(String(tenantId)));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [version, current, Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')].join('.');
    },
    open(tenantId, sealed) {
      const [format, id = '', payload = ''] = sealed.split('.');
      const key = format === version ? keyOf(id, tenantId) : null;
      if (!key) throw unreadable('its secret is not known any more');
      const bytes = Buffer.from(payload, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAAD(Buffer.from(String(tenantId)));
        decipher.setAuthTag(bytes.subarray(-16));
        return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw unreadable('it was changed, or sealed for another tenant');
      }
    },
    isStale: (sealed) => sealed.split('.')[1] !== current,
    keyId: current,
    keyIds: [...secrets.keys()],
    digest(tenantId, text) {
      const key = keyOf(current, tenantId, `${purpose} digests`) as Buffer;
      return `#${createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')}`;
    },
  };
}

/** Fingerprint of a secret, which does not reveal it. */
const keyId = (secret: string) => createHash('sha256').update(`rivulet key id ${secret}`).digest('hex').slice(0, 8);

const unreadable = (why: string) =>
  new Fault('INTERNAL_ERROR', `A stored secret cannot be read: ${why}.`, {
    hint: 'Restore RIVULET_SECRET, or enter the secret again.',
  });
