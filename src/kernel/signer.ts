// Signs what lies in the database, so that who can write there, but does not have the server's secret, cannot forge it.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** HMAC-SHA-256 as base64url. Texts of one purpose cannot pass for those of another. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string | undefined): boolean;
}

/** Keys: HKDF-SHA-256 (RFC 5869) of the secret, with the purpose in its info. */
export function createSigner({ secret }: { secret: string }): Signer {
  const sign = (purpose: string, text: string) => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', `rivulet signature of ${purpose} v1`, 32));
    return createHmac('sha256', key).update(text).digest('base64url');
  };
  return {
    sign,
    verify: (purpose, text, signature = '') => {
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(purpose, text))];
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
