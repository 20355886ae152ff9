// Identity keys and other opaque credentials: random, shown once, kept as hashes.
import { createHash, randomBytes } from 'node:crypto';

export const keyPrefix = 'rvt_';
/** Prefix of the token of a sign-in link. */
export const linkPrefix = 'sgn_';

/** 256 random bits in base64url: nobody guesses them, so that a plain hash is enough at rest. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** A new key. */
export function newKey(): string {
  return keyPrefix + newSecret();
}

/**
 * Refresh tokens of people, socket tickets, mailed tokens and sign-in links; and of OAuth clients their codes, refresh
 * tokens, secrets and the requests that wait for consent; codes of sign-ins with a provider; links to shared runs and
 * chats; invitations to organisation units.
 */
export type TokenPrefix =
  | 'esc_'
  | 'rft_'
  | 'tkt_'
  | 'mlt_'
  | 'oac_'
  | 'ort_'
  | 'ocs_'
  | 'oar_'
  | 'shr_'
  | 'oui_'
  | typeof linkPrefix;

/** A new opaque token; its prefix tells its kind. */
export function newToken(prefix: TokenPrefix): string {
  return prefix + newSecret();
}

/** Stored form of a key or token: SHA-256 in base64url. */
export function hashSecret(raw: string): string {
  return createHash('sha256').update(raw).digest('base64url');
}

/** The parts of a key that may be shown later. */
export function visibleParts(raw: string): { prefix: string; last4: string } {
  return { prefix: raw.slice(0, 8), last4: raw.slice(-4) };
}
