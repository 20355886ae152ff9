// Verifies what other systems send by themselves: nothing of a body is read before its proof holds.
import { createHash, createHmac } from 'node:crypto';
import type { AuthMethod } from '../contract/enums.ts';
import { Fault } from '../kernel/fault.ts';
import type { Callback } from './channels/types.ts';
import { forged, requireRecent, same } from './channels/verify.ts';
import { standardId } from './channels/webhook.ts';
import type { Credentials } from './credentials.ts';

/** Methods by which something that comes in can be verified. */
export const verifiable = new Set<AuthMethod>(['HmacSignature', 'ApiKey', 'BearerToken', 'Basic']);

/**
 * What is unique to something that came in; the same again bears the same. It comes of what the proof covers alone: a
 * header beside a signature could be made anew by whoever replays it.
 *
 * @throws Fault SIGNATURE_INVALID where the proof does not hold or is too old, NOT_CONFIGURED
 */
export function verifiedKey(method: AuthMethod, credentials: Credentials, callback: Callback): string {
  const { header, bytes } = callback;
  if (method === 'HmacSignature') return signedKey(credentials, callback);
  const sent = (name: string) => header(name.toLowerCase()) ?? '';
  const proof = proofOf(method, credentials);
  if (!proof)
    throw new Fault('NOT_CONFIGURED', 'This address cannot verify what is sent to it.', {
      hint: `Give the connector one of ${[...verifiable].join(', ')} with its credentials.`,
    });
  if (!same(sent(proof.header), proof.value)) throw forged();
  const own = credentials.idHeader ? sent(credentials.idHeader) : '';
  return own ? `id:${digestOf(own)}` : `body:${digestOf(bytes)}`;
}

/** The header that a sender shows and what it holds; null where there is nothing to compare with. */
function proofOf(method: AuthMethod, credentials: Credentials): { header: string; value: string } | null {
  const { key, name = 'X-API-Key', prefix = '', token, username = '', password } = credentials;
  if (method === 'ApiKey') return key ? { header: name, value: prefix + key } : null;
  if (method === 'BearerToken') return token ? { header: 'authorization', value: `Bearer ${token}` } : null;
  if (method !== 'Basic' || !password) return null;
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  return { header: 'authorization', value: `Basic ${pair}` };
}

/** By Standard Webhooks for a secret that is written as one (`whsec_…`), else by a digest in a header. */
function signedKey(credentials: Credentials, callback: Callback): string {
  const { secret = '', header = 'X-Signature', algorithm = 'sha256', encoding = 'hex', prefix = '' } = credentials;
  const { timestampHeader } = credentials;
  if (secret === '') throw forged();
  if (secret.startsWith('whsec_')) return `id:${digestOf(standardId(secret, callback))}`;
  const mac = createHmac(algorithm === 'sha512' ? 'sha512' : 'sha256', secret);
  const stamp = timestampHeader ? callback.header(timestampHeader.toLowerCase()) : null;
  if (stamp !== null) mac.update(`${stamp}.`);
  const digest = mac.update(callback.bytes).digest(encoding === 'base64' ? 'base64' : 'hex');
  if (!same(callback.header(header.toLowerCase()) ?? '', prefix + digest)) throw forged();
  if (stamp !== null) requireRecent(stamp, callback.now);
  return `body:${digestOf(`${stamp ?? ''}.`, callback.bytes)}`;
}

function digestOf(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}
