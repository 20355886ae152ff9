// Stores answers by idempotency key: one document a key, claimed by its insertion, with the ids that its request has
// taken.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Vault } from '../kernel/vault.ts';
import { type Db, defineCollection, type Update } from '../ports/db.ts';
import { isDuplicate } from '../ports/duplicate.ts';
import type { Attempt, Claim, IdempotencyStore, KeptAnswer } from '../ports/idempotency.ts';
import type { OnceScope } from '../ports/once.ts';

interface KeptDoc {
  _id: string;
  fingerprint: string;
  /** Mark of the request in the documents that it writes; renewed when the key is used for a new request. */
  mark: string;
  /** Ids that the request took, by series, in the order it took them. */
  ids: Record<string, number[]>;
  /** Answer, sealed: it may hold a key that is shown only once. */
  answer: KeptAnswer | null;
  /** Process that carries out the request; null after a failure. */
  owner: string | null;
  /** End of the lease; the owner renews it. */
  claimedUntil: Date;
  expiresAt: Date;
}

/** A lease as a repeat has found it, and when by the steady clock. */
interface Seen {
  until: number;
  at: number;
}

/** Retention of an answer in ms. */
const keptMs = 24 * 3_600_000;
/**
 * How long a silent process is believed to live, and how often it says that it does, in ms. Both may be short: one that
 * was only slow takes no further id once it is replaced, and the documents of those it took are the same ones.
 */
const leaseMs = 3000;
const renewMs = 1000;
/** Interval in ms at which a repeat looks whether another process has answered the request. */
const lookMs = 50;

/** Series whose ids are not stored with the claim: there are many, and a repeated request does not need the same ones. */
const passing = new Set(['agent_events', 'ai_calls']);

export const idempotencyCollection = defineCollection<KeptDoc>({
  name: 'idempotency_keys',
  indexes: [{ keys: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

interface Deps {
  db: Db;
  clock: Clock;
  logger: Logger;
  vault: Pick<Vault, 'seal' | 'open'>;
  /** Whether no other process shares the store: claims of other processes are then those of dead ones. */
  alone: boolean;
}

/** Tenant id of the store's own key in the vault: the names of claims hold the tenant already. */
const nobodysTenant = 0;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createIdempotencyStore({ db, clock, logger, vault, alone }: Deps): IdempotencyStore {
  const kept = db.collection(idempotencyCollection);
  const process = randomUUID();
  /** Attempts in flight of this process, with the names of their claims. */
  const running = new Map<string, string>();
  let attempts = 0;
  const lease = () => new Date(clock.now() + leaseMs);
  const fresh = (fingerprint: string) => ({
    fingerprint,
    mark: randomUUID(),
    ids: {},
    answer: null,
    expiresAt: new Date(clock.now() + keptMs),
  });

  const renew = () => {
    if (running.size === 0) return;
    kept
      .updateMany(
        { _id: { $in: [...running.values()] }, owner: { $in: [...running.keys()] } },
        { $set: { claimedUntil: lease() } },
      )
      .catch((error: unknown) => logger.warn({ err: error }, 'claims of idempotency keys could not be renewed'));
  };
  const stopRenewing = alone ? () => {} : clock.every(renewMs, renew);

  /** Runs a write that assigns the claim to a new attempt of this process; null when another attempt was faster. */
  const asOwner = async (
    name: string,
    repeated: boolean,
    write: (held: Pick<KeptDoc, 'owner' | 'claimedUntil'>) => Promise<KeptDoc | null>,
  ): Promise<Claim | null> => {
    const owner = `${process} ${attempts++}`;
    running.set(owner, name);
    const document = await write({ owner, claimedUntil: lease() }).catch((error: unknown) => {
      running.delete(owner);
      throw error;
    });
    if (document) return { state: 'claimed', attempt: attemptOf({ ...document, owner }, repeated) };
    running.delete(owner);
    return null;
  };

  const attemptOf = (document: KeptDoc & { owner: string }, repeated: boolean): Attempt => {
    const { _id, mark, owner } = document;
    const mine = { _id, mark, owner };
    const { scope, tookAny } = createScope(document, repeated, async (series, id) => {
      const push = { $push: { [`ids.${series}`]: id } } as Update<KeptDoc>;
      if ((await kept.updateOne(mine, push)).matchedCount === 1) return;
      throw new Fault('CONFLICT', 'Another server has taken this request over.', {
        hint: 'Repeat it with the same Idempotency-Key.',
        retryAfterSeconds: 1,
      });
    });
    return {
      scope,
      async complete({ status, body }) {
        running.delete(owner);
        const answer = { status, body: vault.seal(nobodysTenant, body) };
        await kept.updateOne({ _id, mark }, { $set: { answer } });
      },
      async release() {
        running.delete(owner);
        // Ids that were taken may be in documents already, so the claim stays: a repeat takes the same ids.
        if (tookAny()) await kept.updateOne(mine, { $set: { owner: null } });
        else await kept.deleteOne(mine);
      },
    };
  };

  const insert = (name: string, fingerprint: string) =>
    asOwner(name, false, async (held) => {
      const document = { _id: name, ...fresh(fingerprint), ...held };
      return (await isInserted(kept.insertOne(document))) ? document : null;
    });

  /** Takes over a claim that has not changed since it was read. */
  const take = ({ _id, mark, owner, claimedUntil }: KeptDoc, anew: Partial<KeptDoc> | null) =>
    asOwner(_id, anew === null, (held) =>
      kept.findOneAndUpdate(
        { _id, mark, owner, claimedUntil },
        { $set: { ...anew, ...held } },
        { returnDocument: 'after' },
      ),
    );

  /** A claim that another process does not renew for a lease, by our steady clock: clocks of machines are not compared. */
  const isDead = ({ owner, claimedUntil }: KeptDoc, seen: Seen | null) =>
    alone ||
    owner === null ||
    owner.startsWith(process) ||
    (seen?.until === claimedUntil.getTime() && clock.steady() - seen.at >= leaseMs);

  return {
    async claim(name, fingerprint) {
      /** The claim as it was found first; an owner that has renewed it is alive. */
      let seen: Seen | null = null;
      for (;;) {
        const inserted = await insert(name, fingerprint);
        if (inserted) return inserted;
        const found = await kept.findOne({ _id: name });
        if (!found) continue;
        const isOther = found.fingerprint !== fingerprint;
        if (found.expiresAt.getTime() <= clock.now() || (isOther && found.owner === null && !found.answer)) {
          const taken = await take(found, fresh(fingerprint));
          if (taken) return taken;
          continue;
        }
        if (isOther) return { state: 'mismatch' };
        if (found.answer) {
          const { status, body } = found.answer;
          return { state: 'done', answer: { status, body: vault.open(nobodysTenant, body) } };
        }
        if (found.owner !== null && running.has(found.owner)) return { state: 'running' };
        if (isDead(found, seen)) {
          const taken = await take(found, null);
          if (taken) return taken;
          continue;
        }
        const until = found.claimedUntil.getTime();
        if (seen && until !== seen.until) return { state: 'running' };
        seen ??= { until, at: clock.steady() };
        await clock.sleep(lookMs);
      }
    },
    async close() {
      stopRenewing();
    },
  };
}

async function isInserted(insertion: Promise<unknown>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Hands out the ids of earlier attempts again, in order, and stores new ones before they are used. */
function createScope(
  { mark, ids }: KeptDoc,
  repeated: boolean,
  keep: (series: string, id: number) => Promise<void>,
): { scope: OnceScope; tookAny: () => boolean } {
  const taken = new Set<unknown>(Object.values(ids).flat());
  const given = new Map<string, number>();
  const scope: OnceScope = {
    mark,
    repeated,
    async id(series, allocate) {
      if (passing.has(series)) return allocate();
      const at = given.get(series) ?? 0;
      given.set(series, at + 1);
      const earlier = ids[series]?.[at];
      if (earlier !== undefined) return earlier;
      const id = await allocate();
      await keep(series, id);
      taken.add(id);
      return id;
    },
    took: (id) => taken.has(id),
  };
  return { scope, tookAny: () => taken.size > 0 };
}
