// Stamps of a clock that was ahead: what would wait for years to be due, or be held for years, is due soon.
import { type Clock, clocksDifferMs } from '../kernel/clock.ts';
import type { AnyCollectionSpec, Db } from './db.ts';

/** A field with a time until which something waits or is held. */
export interface Stamp {
  collection: AnyCollectionSpec;
  field: string;
  /** So far ahead it is set at most, in ms. */
  longestMs: number;
  /** Which documents it is mended of; all where it is not given. */
  where?: object;
}

/** What is mended is due in so many ms: who holds it and lives renews it before that. */
const soonMs = 60_000;

/** Mends the stamps that no right clock has set. Returns how many there were. */
export async function mendStamps({ db, clock }: { db: Db; clock: Clock }, stamps: readonly Stamp[]): Promise<number> {
  let mended = 0;
  for (const { collection, field, longestMs, where } of stamps) {
    const ahead = { [field]: { $gt: new Date(clock.now() + longestMs + clocksDifferMs) }, ...where };
    const soon = { [field]: new Date(clock.now() + Math.min(longestMs, soonMs)) };
    const { modifiedCount } = await db.collection(collection.name).updateMany(ahead, { $set: soon });
    mended += modifiedCount;
  }
  return mended;
}
