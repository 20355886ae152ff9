// Signatures of Standard Webhooks: HMAC-SHA256 over id, time and body, one for each secret that holds.
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const shownLength = prefix.length + 4;

export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

/** The beginning of a secret, by which people tell it from others. */
export const secretPrefix = (secret: string): string => secret.slice(0, shownLength);

export interface Signed {
  id: string;
  /** Milliseconds since 1970, UTC. */
  at: number;
  body: string;
  /** The newest first; each signs. */
  secrets: readonly string[];
}

/** The headers that a receiver verifies. */
export function signedHeaders({ id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
