// The right to renew a connector's tokens: one has it at a time; it is lost with time and with new credentials.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createVault } from '../../kernel/vault.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { accountOf } from './accounts.ts';
import type { ConnectorBook } from './book.ts';
import { type ConnectorDoc, connectorRecord } from './record.ts';

const tokens = (accessToken: string) => ({ accessToken, expiresAt: null, refreshToken: 'r' });

it('is given to one at a time, and who lost it keeps nothing', async () => {
  const db = openTestDb();
  await db.ensureIndexes([connectorRecord.spec]);
  const clock = new SimulatedClock();
  const vault = createVault({ secret: 'of a test, long enough to be one' });
  const of = perTenant(db.collection(connectorRecord.spec));
  // As an earlier version left it: a refresh token, and no fields of renewals.
  const doc = { _id: 1, tenantId: 1, name: 'a', sealedTokens: vault.seal(1, 'old-refresh') } as unknown as ConnectorDoc;
  await of(1).insertOne(doc);
  const opened = { credentials: {}, connectionString: null, headers: {} };
  const book = { connectors: { of }, open: () => opened } as unknown as ConnectorBook;
  const shelf = () => accountOf({ book, vault, clock }, doc).tokens;
  const [one, other] = [shelf(), shelf()];
  expect(await one.read()).toEqual({ accessToken: '', expiresAt: 0, refreshToken: 'old-refresh' });
  const first = await one.claim();
  expect(await other.claim()).toBeNull();
  await first?.keep(tokens('first access token'));
  expect(await other.read()).toEqual(tokens('first access token'));
  // The store has it sealed.
  expect(JSON.stringify(await of(1).findOne({ _id: 1 }))).not.toContain('first access token');

  const died = await other.claim();
  await clock.advance(61_000);
  const next = await one.claim();
  await died?.keep(tokens('too late'));
  await died?.release();
  expect(await other.claim()).toBeNull();
  await next?.keep(tokens('second access token'));
  expect(await one.read()).toEqual(tokens('second access token'));

  const old = await one.claim();
  await of(1).updateOne({ _id: 1 }, { $set: { sealedTokens: null, renewedBy: null } });
  await old?.keep(tokens('of other credentials'));
  expect(await one.read()).toBeNull();
});
