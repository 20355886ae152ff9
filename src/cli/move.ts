// Takes the documents of a data folder along into MongoDB, with no server on either.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataSettings } from '../config.ts';
import { ConfigError } from '../environment.ts';
import { systemClock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { silentLogger } from '../kernel/logger.ts';
import { databaseFile } from '../stores/backup/manifest.ts';
import { openEmbeddedDb } from '../stores/embedded/db.ts';
import { storeIdOf } from '../stores/embedded/identity.ts';
import { openMongoDb } from '../stores/mongo/db.ts';
import { type Moved, moveDocuments, putAside } from '../stores/move.ts';
import type { Told } from './output.ts';

/** @throws Fault, ConfigError */
export async function moveToMongo(): Promise<Told> {
  const { dataDir, mongoUri } = loadDataSettings();
  if (mongoUri === null) throw new ConfigError('MONGODB_URI: must name the database that the documents go to');
  if (!existsSync(join(dataDir, databaseFile)))
    throw new Fault('NOT_FOUND', `There is no database in ${dataDir}.`, {
      hint: 'Name the folder of the server in RIVULET_DATA, as it has it.',
    });
  const moved = await move(dataDir, mongoUri);
  const aside = putAside(dataDir);
  return {
    result: { from: dataDir, ...moved, aside },
    lines: [
      `Moved ${moved.documents} documents of ${moved.collections} collections into MongoDB. Start the server with this MONGODB_URI from now on.`,
      `What was moved is still in ${aside}: delete it when all is well.`,
    ],
  };
}

async function move(folder: string, uri: string): Promise<Moved> {
  const around = { clock: systemClock, logger: silentLogger };
  const from = openEmbeddedDb({ folder, ...around });
  try {
    const to = await openMongoDb({ uri, ...around });
    try {
      return await moveDocuments({ from, to, storeId: storeIdOf(from.file) });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
