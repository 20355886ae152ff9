// Holds a tenant's demo while something is made or removed, and notes ids before anything has them.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db, Update } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { carriedOutOnce, type OnceScope, onceScope } from '../../ports/once.ts';
import { type DemoDoc, demoSpec, noted, type Series } from './record.ts';

interface Deps {
  db: Db;
  clock: Clock;
  /** No other process shares the store: who holds a demo and is not known here is dead. */
  alone: boolean;
}

/** How long a silent holder is believed to live, how often it says that it does, and how long others wait for it, in ms. */
const leaseMs = 10_000;
const renewMs = 3000;
const patienceMs = 15_000;
const lookMs = 100;

/** The demo in the hands of one operation. */
export interface Held {
  readonly doc: DemoDoc;
  change(to: Partial<Pick<DemoDoc, 'state' | 'size' | 'username' | 'seededAt' | 'going'>>): Promise<void>;
  /** Does what makes things of these kinds; each id is noted before anything has it. */
  making<R>(kinds: readonly Series[], work: () => Promise<R>): Promise<R>;
  note(kind: Series, id: number): Promise<void>;
  /** Forgets the demo: nothing is left of it. */
  forget(): Promise<void>;
}

export type Book = ReturnType<typeof createBook>;

export function createBook({ db, clock, alone }: Deps) {
  const demos = db.collection(demoSpec);
  const here = new Set<string>();

  const insert = async (tenantId: number): Promise<void> => {
    const none = { holder: null, heldUntil: new Date(0), size: null, username: null, seededAt: null, ids: {} };
    const doc = { _id: tenantId, tenantId, state: 'Started' as const, ...none, createdAt: new Date(clock.now()) };
    await demos.insertOne(doc).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  };

  /** Takes it where nobody has it, or who had it is dead. */
  const take = async (tenantId: number, holder: string): Promise<DemoDoc | null> => {
    const found = await demos.findOne({ _id: tenantId });
    if (!found) return null;
    const isDead = alone ? !here.has(found.holder ?? '') : found.heldUntil.getTime() <= clock.now();
    if (found.holder !== null && !isDead) return null;
    const same = { _id: tenantId, holder: found.holder };
    const $set = { holder, heldUntil: new Date(clock.now() + leaseMs) };
    return demos.findOneAndUpdate(same, { $set }, { returnDocument: 'after' });
  };

  const held = (doc: DemoDoc, holder: string): Held => {
    const mine = { _id: doc._id, holder };
    const write = async (update: Update<DemoDoc>): Promise<void> => {
      if ((await demos.updateOne(mine, update)).matchedCount === 1) return;
      throw new Fault('CONFLICT', 'Another server has taken the demo over.', { hint: 'Reset it, and seed it again.' });
    };
    const note = async (kind: Series, id: number): Promise<void> => {
      await write({ $addToSet: { [`ids.${kind}`]: id } } as Update<DemoDoc>);
      doc.ids[kind] = [...new Set([...(doc.ids[kind] ?? []), id])];
    };
    return {
      doc,
      note,
      async change(to) {
        await write({ $set: to });
        Object.assign(doc, to);
      },
      making: (kinds, work) => carriedOutOnce(noting(kinds, note), work),
      async forget() {
        await demos.deleteOne(mine);
      },
    };
  };

  return {
    find: (tenantId: number): Promise<DemoDoc | null> => demos.findOne({ _id: tenantId }),
    /**
     * Does `work` with the demo in hand, alone on all nodes.
     *
     * @throws Fault CONFLICT where somebody else has it for too long
     */
    async hold<R>(tenantId: number, work: (demo: Held) => Promise<R>): Promise<R> {
      const holder = randomUUID();
      here.add(holder);
      const giveUp = clock.steady() + patienceMs;
      let stop = () => {};
      try {
        let doc = await take(tenantId, holder);
        for (; !doc; doc = await take(tenantId, holder)) {
          await insert(tenantId);
          if (clock.steady() >= giveUp) throw busy();
          await clock.sleep(lookMs);
        }
        const heldUntil = () => new Date(clock.now() + leaseMs);
        stop = clock.every(renewMs, () => {
          demos.updateOne({ _id: tenantId, holder }, { $set: { heldUntil: heldUntil() } }).catch(() => undefined);
        });
        return await work(held(doc, holder));
      } finally {
        stop();
        await demos.updateOne({ _id: tenantId, holder }, { $set: { holder: null } });
        here.delete(holder);
      }
    },
  };
}

const busy = () =>
  new Fault('CONFLICT', 'The demo is being made or removed.', {
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  });

/** Work whose ids of some kinds are noted; what it makes besides hangs on those. A repeated request takes its ids again. */
function noting(kinds: readonly Series[], note: (kind: Series, id: number) => Promise<void>): OnceScope {
  const request = onceScope();
  const taken = new Set<unknown>();
  const isNoted = (series: string): series is Series => series in noted && kinds.includes(series as Series);
  return {
    mark: request?.mark ?? randomUUID(),
    repeated: request?.repeated ?? false,
    took: (id) => taken.has(id),
    async id(series, allocate) {
      const id = await (request ? request.id(series, allocate) : allocate());
      if (isNoted(series)) await note(series, id);
      taken.add(id);
      return id;
    },
  };
}
