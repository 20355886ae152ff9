// The contract of words as documents, on every MongoDB-compatible server that can be started here.
import { afterAll, beforeAll } from 'vitest';
import { createDocumentWords, wordSpec } from '../../../src/stores/words/documents.ts';
import { type OpenDb, onEachServer } from '../../support/servers/each.ts';
import { configured, ferretdb, mongoJavaServer } from '../../support/servers/mongo.ts';
import { wordsSuite } from './suite.ts';

await onEachServer('words', [configured, ferretdb, mongoJavaServer], (kind, openDb) => {
  let opened: Awaited<ReturnType<OpenDb>>;
  beforeAll(async () => {
    opened = await openDb();
    await opened.db.ensureIndexes([wordSpec]);
  });
  afterAll(() => opened?.close());
  const open = async () => {
    await opened.db.collection(wordSpec).deleteMany({});
    return createDocumentWords({ db: opened.db });
  };
  wordsSuite(kind.name, open, { addsUp: kind !== ferretdb });
});
