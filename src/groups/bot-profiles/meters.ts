// Meters of what visitors use: an amount is taken only where it fits below the limit, by one write on any node.
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { type BotProfileDoc, botMeterRecord } from './record.ts';

type Bot = Pick<BotProfileDoc, 'tenantId' | 'identityId'>;

export function createMeters({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }) {
  const meters = perTenant(db.collection(botMeterRecord.spec));
  return {
    /** False where `most` would be passed; then nothing is counted. */
    async take({ tenantId, identityId }: Bot, key: string, amount: number, most: number): Promise<boolean> {
      if (amount > most) return false;
      const fits = { identityId, key, used: { $lte: most - amount } };
      const begun = { _id: await ids.next(botMeterRecord.spec.name), createdAt: new Date(clock.now()) };
      const add = { $inc: { used: amount }, $setOnInsert: begun };
      try {
        await meters(tenantId).updateOne(fits, add, { upsert: true });
        return true;
      } catch (error) {
        // A meter that is there and does not fit: the insert in its place is refused.
        if (!isDuplicate(error)) throw error;
        const { matchedCount } = await meters(tenantId).updateOne(fits, { $inc: { used: amount } });
        return matchedCount === 1;
      }
    },
    /** Puts what was really used in the place of what was taken. */
    async settle({ tenantId, identityId }: Bot, key: string, difference: number): Promise<void> {
      await meters(tenantId).updateOne({ identityId, key }, { $inc: { used: difference } });
    },
    async used({ tenantId, identityId }: Bot, key: string): Promise<number> {
      return (await meters(tenantId).findOne({ identityId, key }))?.used ?? 0;
    },
  };
}
