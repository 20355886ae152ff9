// Suites that run on every MongoDB-compatible server that can be started here, and say which could not.
import { MongoClient } from 'mongodb';
import { afterAll, describe, it } from 'vitest';
import type { Db } from '../../../src/ports/db.ts';
import { openMongoDb } from '../../../src/stores/mongo/db.ts';
import type { RunningServer, ServerKind } from './mongo.ts';

/** Opens an empty database on the server, which starts with the first of them; closing drops it. */
export type OpenDb = () => Promise<{ db: Db; close(): Promise<void> }>;

/**
 * Declares a suite for each server; one that is missing is a skipped test with the reason. All databases of a file are
 * on one server of a kind.
 */
export async function onEachServer<Kind extends ServerKind>(
  title: string,
  kinds: readonly Kind[],
  declare: (kind: Kind, open: OpenDb) => void,
): Promise<void> {
  for (const kind of kinds) {
    const missing = await kind.missing();
    if (missing === null) declare(kind, openOnOne(kind));
    else describe(`${title}: ${kind.name}`, () => it.skip(`skipped: ${missing}`, () => {}));
  }
}

/** Databases on one server, which stops after the last test of the file. */
function openOnOne(kind: ServerKind): OpenDb {
  let running: Promise<RunningServer> | undefined;
  let opened = 0;
  afterAll(async () => (await running)?.stop());
  return () => {
    running ??= kind.start();
    return openOn(running, `contract_${Date.now()}_${++opened}`);
  };
}

async function openOn(running: Promise<RunningServer>, name: string): ReturnType<OpenDb> {
  const uri = new URL((await running).uri);
  uri.pathname = `/${name}`;
  const db = await openMongoDb({ uri: uri.href });
  return {
    db,
    close: async () => {
      await db.close();
      const client = new MongoClient(uri.href);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}
