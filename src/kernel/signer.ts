// Signs what lies in the database, so that who can write there, but does not have the server's secret, cannot forge it.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** HMAC-SHA-256 as base64url. Texts of one purpose cannot pass for those of another. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string | undefined): boolean;
}

/** Keys: HKDF-SHA-256 (RFC 5869) of the secret, with the purpose in its info. What former secrets signed is verified, too. */
export function createSigner(options: { secret: string; previousSecrets?: readonly string[] }): Signer {
  const { secret, previousSecrets = [] } = options;
  const sign = (purpose: string, text: string, by = secret) => {
    const key = Buffer.from(hkdfSync('sha256', by, '', `rivulet signature of ${purpose} v1`, 32));
    return createHmac('sha256', key).update(text).digest('base64url');
  };
  return {
    sign: (purpose, text) => sign(purpose, text),
    verify: (purpose, text, signature = '') => {
      const given = Buffer.from(signature);
      return [secret, ...previousSecrets].some((by) => {
        const right = Buffer.from(sign(purpose, text, by));
        return given.length === right.length && timingSafeEqual(given, right);
      });
    },
  };
}
