// Opens the document store that the settings ask for and brings it up to date.
import { authCollections, authSpecs } from '../auth/collections.ts';
import type { Config } from '../config.ts';
import { noteSpec } from '../groups/agent/notes/notes.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { AnyCollectionSpec, Db } from '../ports/db.ts';
import { openEmbeddedDb } from '../stores/embedded/db.ts';
import { createIdempotencyStore, idempotencyCollection } from '../stores/idempotency.ts';
import { createIds } from '../stores/ids.ts';
import { type Migration, migrate } from '../stores/migrations.ts';
import { openMongoDb } from '../stores/mongo/db.ts';
import { createRepairs } from '../stores/repairs.ts';
import { streamCollections } from '../stream/db-event-store.ts';

/** Numbered from 1; never renumber or remove one. */
const migrations: readonly Migration[] = [];

/** Milliseconds between two repair passes. */
const repairEveryMs = 30_000;

/** The store with what stands directly on it. */
export async function openStorage({ config, clock, log }: { config: Config; clock: Clock; log: Logger }) {
  const db: Db = config.mongoUri
    ? await openMongoDb({ uri: config.mongoUri })
    : openEmbeddedDb({ folder: config.dataDir, clock, logger: log });
  await migrate({ db, migrations, clock, logger: log });
  await db.ensureIndexes(specs);
  const repairs = createRepairs({ db, clock, logger: log });
  const stopRepairs = clock.every(repairEveryMs, () => {
    repairs.run().catch((error: unknown) => log.error({ err: error }, 'a repair pass failed'));
  });
  return {
    db,
    kind: config.mongoUri ? ('mongodb' as const) : ('embedded' as const),
    ids: createIds({ db }),
    auth: authCollections(db),
    idempotency: createIdempotencyStore({ db, clock }),
    repairs,
    close: async () => {
      stopRepairs();
      await db.close();
    },
  };
}
export type Storage = Awaited<ReturnType<typeof openStorage>>;

const specs: readonly AnyCollectionSpec[] = [...authSpecs, ...streamCollections, idempotencyCollection, noteSpec];
