// The contract of the Db port: every store passes it, so that a service runs on any of them.
import { afterAll, beforeAll, describe } from 'vitest';
import type { Db } from '../../../src/ports/db.ts';
import { aggregationContract } from './aggregation.ts';
import { filterContract } from './filters.ts';
import { indexContract } from './indexes.ts';
import { randomContract } from './random.ts';
import { readContract } from './reads.ts';
import { renameContract } from './renames.ts';
import { schedulerContract } from './scheduler.ts';
import { createSetting, type Store } from './setting.ts';
import { updateContract } from './updates.ts';

const parts = {
  filters: filterContract,
  updates: updateContract,
  reads: readContract,
  aggregation: aggregationContract,
  indexes: indexContract,
  renames: renameContract,
  scheduler: schedulerContract,
  random: randomContract,
};

export function dbContract(store: Store): void {
  // A store each: SQLite reads the schema of the whole file again with each new column.
  describe.each(Object.entries(parts))(`Db contract: ${store.name}: %s`, (_, part) => {
    let opened: { db: Db; close(): Promise<void> };
    beforeAll(async () => {
      opened = await store.open();
    });
    afterAll(() => opened?.close());
    part(createSetting(store, () => opened.db));
  });
}
