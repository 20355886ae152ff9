// Tells whether a request with a key was made before, or is another one with the same key.
import { createHash } from 'node:crypto';
import { given } from './fields.ts';

/**
 * Stands for what a request asks, as base64url. Fields are in the order of their schema; those that are absent or null
 * do not count. Null what only says how the answer is followed, and the key.
 */
export const askedDigest = (body: object): string =>
  createHash('sha256')
    .update(JSON.stringify(given(body)))
    .digest('base64url');
