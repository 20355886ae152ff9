// Key pairs that sign the tokens of OAuth clients, so that other servers can verify them: ES256, one for each signing key.
import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';

/** What a verifier needs to know of a key (RFC 7517). */
export interface PublicJwk {
  kty: string;
  use: string;
  alg: string;
  kid: string;
  crv: string;
  x: string;
  y: string;
}

export interface KeyPair {
  kid: string;
  private: KeyObject;
  public: KeyObject;
  jwk: PublicJwk;
}

/** Order of the curve P-256 (FIPS 186-5). */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/**
 * The key pair of a signing key, the same on every node. 48 derived bytes modulo the order, as FIPS 186-5 A.2.1 asks
 * for: the bias is below 2^-64.
 */
export function keyPairOf({ id, key }: { id: string | null; key: Buffer }): KeyPair {
  const kid = id ?? 'first';
  const bytes = Buffer.from(hkdfSync('sha256', key, '', 'rivulet oauth ES256 v1', 48));
  const scalar = (BigInt(`0x${bytes.toString('hex')}`) % (order - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [
    string,
    string,
  ];
  const known = { kty: 'EC', crv: 'P-256', x, y };
  return {
    kid,
    private: createPrivateKey({ key: { ...known, d: d.toString('base64url') }, format: 'jwk' }),
    public: createPublicKey({ key: known, format: 'jwk' }),
    jwk: { ...known, use: 'sig', alg: 'ES256', kid },
  };
}
