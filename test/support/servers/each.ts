// Suites that run on every MongoDB-compatible server that can be started here, and say which could not.
import { MongoClient } from 'mongodb';
import { describe, it } from 'vitest';
import type { Db } from '../../../src/ports/db.ts';
import { openMongoDb } from '../../../src/stores/mongo/db.ts';
import type { ServerKind } from './mongo.ts';

/** Starts a server with an empty database; closing drops it. */
export type OpenDb = () => Promise<{ db: Db; close(): Promise<void> }>;

/** Declares a suite for each server; one that is missing is a skipped test with the reason. */
export async function onEachServer<Kind extends ServerKind>(
  title: string,
  kinds: readonly Kind[],
  declare: (kind: Kind, open: OpenDb) => void,
): Promise<void> {
  for (const kind of kinds) {
    const missing = await kind.missing();
    if (missing === null) declare(kind, () => openOn(kind));
    else describe(`${title}: ${kind.name}`, () => it.skip(`skipped: ${missing}`, () => {}));
  }
}

async function openOn(kind: ServerKind): ReturnType<OpenDb> {
  const server = await kind.start();
  const uri = new URL(server.uri);
  uri.pathname = `/contract_${Date.now()}`;
  const db = await openMongoDb({ uri: uri.href });
  return {
    db,
    close: async () => {
      await db.close();
      const client = new MongoClient(uri.href);
      await client.db().dropDatabase();
      await client.close();
      await server.stop();
    },
  };
}
