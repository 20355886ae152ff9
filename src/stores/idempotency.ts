// Kept answers on the Db port: one document a key, claimed by its insertion.
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Vault } from '../kernel/vault.ts';
import { type Db, defineCollection } from '../ports/db.ts';
import type { IdempotencyStore, KeptAnswer } from '../ports/idempotency.ts';

interface KeptDoc {
  _id: string;
  fingerprint: string;
  /** Sealed: an answer may hold a key that is shown only once. */
  answer: KeptAnswer | null;
  /** Until when the one who carries it out is believed to live. */
  claimedUntil: Date;
  expiresAt: Date;
}

/** How long an answer is kept, and how long a claim without an answer holds, in ms. */
const keptMs = 24 * 3_600_000;
const claimMs = 60_000;

export const idempotencyCollection = defineCollection<KeptDoc>({
  name: 'idempotencyKeys',
  indexes: [{ keys: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

interface Deps {
  db: Db;
  clock: Clock;
  vault: Pick<Vault, 'seal' | 'open'>;
}

/** The store's own key space in the vault: names tell tenants apart already. */
const nobodysTenant = 0;

export function createIdempotencyStore({ db, clock, vault }: Deps): IdempotencyStore {
  const kept = db.collection(idempotencyCollection);
  const fresh = (fingerprint: string) => ({
    fingerprint,
    answer: null,
    claimedUntil: new Date(clock.now() + claimMs),
    expiresAt: new Date(clock.now() + keptMs),
  });
  return {
    claim: async (name, fingerprint) => {
      try {
        await kept.insertOne({ _id: name, ...fresh(fingerprint) });
        return { state: 'claimed' };
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'DUPLICATE') throw error;
      }
      // Only an answer in time counts: what has expired, or whose maker has died, may be claimed again.
      const over = {
        $or: [
          { expiresAt: { $lte: new Date(clock.now()) } },
          { answer: null, claimedUntil: { $lte: new Date(clock.now()) } },
        ],
      };
      const taken = await kept.findOneAndUpdate({ _id: name, ...over }, { $set: fresh(fingerprint) });
      if (taken) return { state: 'claimed' };
      const found = await kept.findOne({ _id: name });
      if (!found) return { state: 'running' };
      if (found.fingerprint !== fingerprint) return { state: 'mismatch' };
      if (!found.answer) return { state: 'running' };
      const { status, body } = found.answer;
      return { state: 'done', answer: { status, body: vault.open(nobodysTenant, body) } };
    },
    complete: async (name, { status, body }) => {
      const answer = { status, body: vault.seal(nobodysTenant, body) };
      await kept.updateOne({ _id: name }, { $set: { answer } });
    },
    release: async (name) => {
      await kept.deleteOne({ _id: name });
    },
  };
}
