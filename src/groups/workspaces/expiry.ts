// Reads the time at which a workspace is to expire.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

/** @throws (from what it returns) Fault VALIDATION_FAILED for a time that is over */
export function createExpiry(clock: Clock) {
  return (text: string | null | undefined): Date | null => {
    if (text == null) return null;
    const at = new Date(text);
    if (at.getTime() > clock.now()) return at;
    throw new Fault('VALIDATION_FAILED', 'expiresAtUtc must be in the future.', {
      hint: 'Give a later time, or null.',
    });
  };
}
export type Expiry = ReturnType<typeof createExpiry>;
