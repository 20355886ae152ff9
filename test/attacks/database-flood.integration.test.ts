// Databases that answer without end: the statement fails, and what they said is not kept.
import { expect, it, onTestFinished } from 'vitest';
import { createDatabases } from '../../src/outside/databases.ts';
import { startFlood } from '../support/flood.ts';

const mebibyte = 1 << 20;
const databases = createDatabases({ door: { addressOf: async () => '127.0.0.1' }, foldersOf: () => [] });
/** PostgreSQL: signed in, and a message of a gibibyte begins. */
const postgres = Buffer.from('520000000800000000533fffffff', 'hex');
/** MySQL: parts of one packet, each as large as a part may be. */
const packet = Buffer.concat([Buffer.from('ffffff00', 'hex'), Buffer.alloc(0xffffff, 'x')]);

it.each([
  ['postgres', postgres, undefined],
  ['mysql', Buffer.alloc(0), packet],
])('%s', async (kind, greeting, piece) => {
  const flood = await startFlood(greeting, piece);
  onTestFinished(flood.close);
  const statement = { text: 'SELECT 1', values: {}, writes: false, mostRows: 200, timeoutMs: 20_000, tenantId: 1 };
  const ran = databases.run(`${kind}://u:p@127.0.0.1:${flood.port}/d?sslmode=disable`, statement);
  await expect(ran).rejects.toMatchObject({
    code: 'CONNECTOR_ERROR',
    message: expect.stringContaining('larger than 64 MiB'),
  });
  // What systems hold of a connection is sent, too.
  expect(flood.sent()).toBeLessThan(160 * mebibyte);
});
