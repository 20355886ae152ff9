// The contract on MongoDB-compatible servers over the wire: on all that can be started here.
import { MongoClient } from 'mongodb';
import { describe, it } from 'vitest';
import { openMongoDb } from '../../../src/stores/mongo/db.ts';
import { configured, ferretdb, mongoJavaServer, type ServerKind } from '../../support/servers/mongo.ts';
import { ferretDeviations, javaDeviations } from './deviations.ts';
import { dbContract } from './suite.ts';

const kinds: [ServerKind, Record<string, string>][] = [
  [configured, {}],
  [ferretdb, ferretDeviations],
  [mongoJavaServer, javaDeviations],
];

for (const [kind, deviations] of kinds) {
  const missing = await kind.missing();
  if (missing) {
    describe(`Db contract: ${kind.name}`, () => {
      it.skip(`skipped: ${missing}`, () => {});
    });
    continue;
  }
  dbContract({
    name: kind.name,
    deviations,
    async open() {
      const server = await kind.start();
      const uri = new URL(server.uri);
      uri.pathname = `/contract_${Date.now()}`;
      const db = await openMongoDb({ uri: uri.href });
      return {
        db,
        async close() {
          await db.close();
          await dropDatabase(uri.href);
          await server.stop();
        },
      };
    },
  });
}

async function dropDatabase(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  await client.db().dropDatabase();
  await client.close();
}
