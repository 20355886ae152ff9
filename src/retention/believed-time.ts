// The time by which the ages of things are counted: where a clock has jumped ahead, it is believed about an hour later.
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { type Db, defineCollection, type Entity } from '../ports/db.ts';

interface BelievedDoc extends Entity {
  _id: 'latest';
  at: Date;
}

export const believedCollection = defineCollection<BelievedDoc>({ name: 'believed_times' });

/** A jump of more than this is doubted, for less than what is between two hourly rounds. Servers are off for weeks. */
const jumpMs = 30 * 86_400_000;
const patienceMs = 3_000_000;
const keepEveryMs = 600_000;

const farAhead = 'the clock is far ahead of the last look: nothing is deleted or done for its age for an hour';

export type BelievedTime = () => Promise<number>;

/**
 * A clock that is years ahead, as that of a machine that has just booted, would have everything deleted that is kept for
 * a time. It may be set right within an hour: until then nothing is older than when it was looked last, here or by an
 * earlier process. After a server was off for more than a month, its clock is doubted just as long.
 */
export function createBelievedTime({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): BelievedTime {
  const times = db.collection(believedCollection);
  let last: { at: number; steady: number } | null = null;
  let doubtedSince: number | null = null;
  let keptAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const [now, steady] = [clock.now(), clock.steady()];
    const known = last ? last.at + steady - last.steady : (await times.findOne({ _id: 'latest' }))?.at.getTime();
    const usual = known ?? now;
    if (now - usual > jumpMs) {
      if (doubtedSince === null) log.warn({ since: new Date(usual) }, farAhead);
      doubtedSince ??= steady;
      if (steady - doubtedSince < patienceMs) return usual;
    }
    doubtedSince = null;
    last = { at: now, steady };
    if (steady - keptAt >= keepEveryMs) {
      keptAt = steady;
      await times.updateOne({ _id: 'latest' }, { $set: { at: new Date(now) } }, { upsert: true });
    }
    return now;
  };
}
