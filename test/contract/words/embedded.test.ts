// The contract of words on the embedded store: its own index, and the one that is kept as documents.
import { createDocumentWords, wordSpec } from '../../../src/stores/words/documents.ts';
import { createEmbeddedWords } from '../../../src/stores/words/embedded.ts';
import { openTestDb } from '../../support/embedded-db.ts';
import { wordsSuite } from './suite.ts';

wordsSuite('embedded', async () => createEmbeddedWords({ sqlite: openTestDb().file }));
wordsSuite('documents, embedded', async () => {
  const db = openTestDb();
  await db.ensureIndexes([wordSpec]);
  return createDocumentWords({ db });
});
