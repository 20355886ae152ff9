// Timeouts of questions that were asked by a clock that was ahead: they would wait until that clock's time has come.
import { type Clock, clocksDifferMs } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import * as spec from './collections.ts';

/** Gives such questions the time that they were given, from now on. Returns how many there were. */
export async function mendTimeouts({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  const escalations = db.collection(spec.escalations);
  const now = clock.now();
  const ahead = { closed: false, timeoutAt: { $gt: now + clocksDifferMs }, createdAt: { $gt: now + clocksDifferMs } };
  let mended = 0;
  for (const { _id, version, createdAt, timeoutAt } of await escalations.find(ahead).toArray()) {
    const patience = (timeoutAt ?? 0) - createdAt;
    // One that was mended ends before it began.
    if (patience < 0) continue;
    const change = { $set: { timeoutAt: now + patience }, $inc: { version: 1 } };
    mended += (await escalations.updateOne({ _id, version }, change)).modifiedCount;
  }
  return mended;
}
