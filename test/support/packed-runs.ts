// Packs the events of all runs that have ended, as a server does some time after their end.
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { createIds } from '../../src/stores/ids.ts';
import { runs } from '../../src/stores/runs/collections.ts';
import { createRunStore } from '../../src/stores/runs/run-store.ts';

/** Returns how many events it packed in the store of a folder, whose server does not run. */
export async function packRuns(folder: string): Promise<number> {
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
  try {
    const store = createRunStore({ db, ids: createIds({ db }), logger: silentLogger });
    let packed = 0;
    for await (const { _id } of db.collection(runs).find()) packed += await store.runs.packEvents(_id);
    return packed;
  } finally {
    await db.close();
  }
}
