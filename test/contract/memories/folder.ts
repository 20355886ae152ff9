// Stores of memories in a folder: the embedded store, and vectors in it or wherever else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLogger } from '../../../src/kernel/logger.ts';
import type { Vectors } from '../../../src/ports/vectors.ts';
import { openEmbeddedDb } from '../../../src/stores/embedded/db.ts';
import type { Sqlite } from '../../../src/stores/embedded/sqlite.ts';
import { createEmbeddedWords } from '../../../src/stores/words/embedded.ts';
import { type Stores, specs } from './world.ts';

export function inFolder(vectorsOf: (sqlite: Sqlite) => Vectors): Stores {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-memories-'));
  return {
    async open() {
      const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
      await db.ensureIndexes(specs);
      const words = createEmbeddedWords({ sqlite: db.file });
      return { db, words, vectors: vectorsOf(db.file), close: () => db.close() };
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
