// Parts that verification shares: digests compared in constant time, times held against the window, bodies read.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';
import type { Callback } from './types.ts';

/** A callback may be so old, or so far ahead of this server's clock, in ms. */
export const windowMs = 300_000;

/** Whether two texts are the same, in a time that says nothing about where they differ. */
export function same(one: string, other: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compared').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Discord wants to see a 401 for what is forged. */
const status = 401;

export const forged = (): Fault =>
  new Fault('SIGNATURE_INVALID', 'The signature of this callback does not hold.', {
    status,
    hint: 'Send it from the service that this address is for, and check the secret on both sides.',
  });

export const late = (): Fault =>
  new Fault('SIGNATURE_INVALID', 'This callback is too old, or of another time than this server’s.', {
    status,
    hint: 'Callbacks are taken for five minutes. Check the clocks.',
  });

/** @throws Fault where seconds since 1970 are out of the window, or no number */
export function requireRecent(seconds: string | undefined, now: number): void {
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds)) throw forged();
  if (Math.abs(now - Number(seconds) * 1000) > windowMs) throw late();
}

/** A secret that the channel is set up with. @throws Fault NOT_CONFIGURED */
export function secretOf(secrets: Readonly<Record<string, string>>, name: string): string {
  const secret = secrets[name];
  if (secret !== undefined) return secret;
  throw new Fault('NOT_CONFIGURED', `This channel has no ${name}.`, {
    hint: 'Set its secret with PATCH /api/channels/{id}.',
  });
}

/** @throws Fault BAD_REQUEST */
export function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new Fault('BAD_REQUEST', 'The callback is not JSON.', {
      hint: 'Send what the service’s documentation says.',
      cause,
    });
  }
}

/** JSON that may be none: null then. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The body of a callback as fields, be it JSON or a form. @throws Fault BAD_REQUEST */
export function fieldsOf({ header, bytes }: Callback): unknown {
  return /^application\/x-www-form-urlencoded\b/i.test(header('content-type') ?? '')
    ? Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))
    : jsonOf(bytes);
}

/** The value at a path, e.g. `event.user`; undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** A text or number at a path as text; null for anything else. */
export function textAt(value: unknown, path: string): string | null {
  const found = at(value, path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' ? String(found) : null;
}
