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

export function dbContract(store: Store): void {
  describe(`Db contract: ${store.name}`, () => {
    let opened: { db: Db; close(): Promise<void> };
    beforeAll(async () => {
      opened = await store.open();
    });
    afterAll(() => opened?.close());
    const setting = createSetting(store, () => opened.db);
    filterContract(setting);
    updateContract(setting);
    readContract(setting);
    aggregationContract(setting);
    indexContract(setting);
    renameContract(setting);
    schedulerContract(setting);
    randomContract(setting);
  });
}
