// A limit on how many things a tenant may make that each event is matched against; all that there are take part.
import { Fault } from '../kernel/fault.ts';

interface Counted {
  countDocuments(filter: Record<string, never>): Promise<number>;
}

/** @throws Fault CONFLICT where there are `most` already */
export async function requireRoom(kept: Counted, most: number, nouns: string, hint: string): Promise<void> {
  if ((await kept.countDocuments({})) < most) return;
  throw new Fault('CONFLICT', `There are ${most.toLocaleString('en')} ${nouns} already; more are not possible.`, {
    hint,
  });
}
