// A link holds until its expiry, to the millisecond; then it shows what an unknown one shows.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { hashSecret } from '../../auth/keys.ts';
import { publicSharesService } from './public-service.ts';
import { shareRecord } from './record.ts';

const token = 'shr_the-token';
const expiresAt = 1_800_000_000_000;

it('shows the same as an unknown link once it has expired', async () => {
  const db = openTestDb();
  const shares = db.collection(shareRecord.spec);
  await shares.insertOne({
    ...{
      _id: 1,
      guid: 'g',
      tenantId: 1,
      runId: null,
      chatSessionId: 7,
      title: 'Tell',
      includeFiles: false,
      embedOrigins: [],
    },
    ...{ expiresAt: new Date(expiresAt), tokenHash: hashSecret(token), last4: 'oken', createdByName: 'Ann' },
    ...{ createdByUserId: null, createdByIdentityId: null, createdAt: new Date(0), updatedAt: new Date(0) },
  });
  let now = expiresAt - 1;
  type Deps = Parameters<typeof publicSharesService>[0];
  const chats = { store: { session: async () => ({ id: 7 }) } };
  const deps = { shares, clock: { now: () => now }, chats } as unknown as Deps;
  const { handlers } = publicSharesService(deps);
  const read = (asked: string) =>
    (handlers.read as (context: object) => Promise<unknown>)({ body: { token: asked } }).catch(
      (error: { code: string; message: string }) => [error.code, error.message],
    );
  expect(await read(token)).toMatchObject({ kind: 'Chat', title: 'Tell' });
  now = expiresAt;
  const unknown = await read('shr_another');
  expect(unknown).toEqual(['NOT_FOUND', expect.stringContaining('expired')]);
  expect(await read(token)).toEqual(unknown);
});
