// The registry of repairs: completes the intents that dead writers left behind.
import { randomUUID } from 'node:crypto';
import { type Clock, clocksDifferMs } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Collection, CollectionSpec, Db, Filter, Update } from '../ports/db.ts';
import type { Intent, Repairs, WithIntent } from '../ports/repairs.ts';

interface Repair {
  collection: CollectionSpec<WithIntent>;
  complete: (document: WithIntent, intent: Intent) => Promise<void>;
}

/** How long a living writer may take between its first write and `settle`, in ms. */
const defaultGraceMs = 30_000;

/** Repairs, to be run once at boot and then periodically by `run()`; a failing repair is logged and retried the next time. */
export function createRepairs(deps: { db: Db; clock: Clock; logger: Logger; graceMs?: number }): Repairs {
  const { db, clock, logger, graceMs = defaultGraceMs } = deps;
  const repairs = new Map<string, Repair>();

  const repairOf = (kind: string): Repair => {
    const repair = repairs.get(kind);
    if (!repair) throw new Error(`No repair is registered for intents of kind ${kind}`);
    return repair;
  };

  async function complete(collection: Collection<WithIntent>, document: WithIntent): Promise<void> {
    if (!document.intent) return;
    const { kind, token } = document.intent;
    await repairOf(kind).complete(document, document.intent);
    const carrier = { _id: document._id, 'intent.token': token } as Filter<WithIntent>;
    await collection.updateOne(carrier, { $unset: { intent: true } } as Update<WithIntent>);
  }

  async function runOne(kind: string, { collection: spec }: Repair): Promise<number> {
    const collection = db.collection(spec);
    const old = { 'intent.sinceUtc': { $lte: new Date(clock.now() - graceMs) } };
    const ahead = { 'intent.sinceUtc': { $gt: new Date(clock.now() + clocksDifferMs) } };
    const left = { 'intent.kind': kind, $or: [old, ahead] };
    let completed = 0;
    for (const document of await collection.find(left as Filter<WithIntent>).toArray()) {
      try {
        await complete(collection, document);
        completed++;
      } catch (error) {
        logger.error({ err: error, kind, id: document._id }, 'a repair failed; it will be tried again');
      }
    }
    return completed;
  }

  return {
    register(repair) {
      if (repairs.has(repair.kind)) throw new Error(`A repair of kind ${repair.kind} is registered twice`);
      repairs.set(repair.kind, repair as unknown as Repair);
    },
    intent: (kind, data) => ({ kind, token: randomUUID(), sinceUtc: new Date(clock.now()), data }),
    settle: (spec, document) => complete(db.collection(spec) as unknown as Collection<WithIntent>, document),
    async run() {
      let completed = 0;
      for (const [kind, repair] of repairs) completed += await runOne(kind, repair);
      return completed;
    },
  };
}
