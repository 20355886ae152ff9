// Verifies events as Stripe signs them: `t=<seconds>,v1=<hex>`, an HMAC-SHA256 over `<seconds>.<body>`.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';

/** Seconds that an event may be old, or ahead of this clock: the default of Stripe's own libraries. */
export const toleranceSeconds = 300;

/**
 * @param now - ms since 1970 UTC
 * @throws Fault SIGNATURE_INVALID where no signature holds, or its time is too far from `now`
 */
export function requireSigned(header: string | null, bytes: Uint8Array, secret: string, now: number): void {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('=', 2) as [string, string?]);
  const stamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  // While a secret is exchanged there are several.
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []));
  if (!/^\d{1,12}$/.test(stamp) || signatures.length === 0) throw forged('It has no signature of the kind t=…,v1=….');
  const expected = createHmac('sha256', secret).update(`${stamp}.`).update(bytes).digest();
  if (!signatures.some((one) => isSame(one, expected))) throw forged('Its signature does not hold.');
  if (Math.abs(now / 1000 - Number(stamp)) > toleranceSeconds)
    throw forged(`It was signed more than ${toleranceSeconds} seconds from now.`);
}

function isSame(hex: string, expected: Buffer): boolean {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}

const forged = (why: string) =>
  new Fault('SIGNATURE_INVALID', `This event is not taken. ${why}`, {
    hint: 'It is signed over the raw body with RIVULET_PAYMENT_WEBHOOK_SECRET, in the header Stripe-Signature.',
  });
