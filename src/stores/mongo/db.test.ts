import { expect, it } from 'vitest';
import { openMongoDb } from './db.ts';

it('a server that does not answer is named as the cause', async () => {
  const opening = openMongoDb({ uri: 'mongodb://127.0.0.1:9/none?serverSelectionTimeoutMS=50' });
  await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', status: 503 });
});

it('a URI that is none is refused', async () => {
  await expect(openMongoDb({ uri: 'http://example' })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
});
