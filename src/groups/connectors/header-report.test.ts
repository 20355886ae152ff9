import { beforeEach, expect, it } from 'vitest';
import { createVault } from '../../kernel/vault.ts';
import type { By } from '../../ports/keeper.ts';
import type { ConnectorBook } from './book.ts';
import { encryptHeaders } from './header-report.ts';
import type { ConnectorDoc } from './record.ts';

const [former, other] = [createVault({ secret: 'former' }), createVault({ secret: 'unknown' })];
const vault = createVault({ secret: 'present', previousSecrets: ['former'] });
const by = { tenantId: 1 } as By;
const json = '{"x-team":"blue"}';

let rows: Pick<ConnectorDoc, '_id' | 'tenantId' | 'headers'>[];
beforeEach(() => {
  const headers = [json, former.seal(1, json), vault.seal(1, json), '{"bad header": 1}', other.seal(1, json), null];
  rows = headers.map((one, at) => ({ _id: at + 1, tenantId: 1, headers: one }));
});

const connectors = {
  of: () => ({
    find: (filter: { _id?: { $in: number[] } }) => ({
      toArray: async () =>
        rows.filter(({ _id, headers }) => headers !== null && (filter._id?.$in.includes(_id) ?? true)),
    }),
  }),
  change: async (_by: By, id: number, change: (old: ConnectorDoc) => Partial<ConnectorDoc>) => {
    rows = rows.map((one) => (one._id === id ? { ...one, ...change(one as ConnectorDoc) } : one));
  },
} as unknown as ConnectorBook['connectors'];
const report = (wish = {}) => encryptHeaders({ connectors }, vault, by, wish);

it('seals what lies in plain text or under an earlier secret, and names what it cannot read', async () => {
  expect(await report()).toEqual({
    scanned: 5,
    encryptedIds: [1, 2],
    alreadyProtected: 1,
    invalidIds: [4],
    failed: [{ connectorId: 5, error: expect.stringContaining('its secret is not known any more') }],
  });
  for (const at of [0, 1]) {
    const { headers } = rows[at] as { headers: string };
    expect([vault.isStale(headers), JSON.parse(vault.open(1, headers))]).toEqual([false, JSON.parse(json)]);
  }
  expect(await report()).toMatchObject({ encryptedIds: [], alreadyProtected: 3, invalidIds: [4] });
});

it('only tells what it would do with dryRun, and looks at the connectors that were named', async () => {
  const before = structuredClone(rows);
  expect(await report({ dryRun: true, connectorIds: [1, 3] })).toMatchObject({
    scanned: 2,
    encryptedIds: [1],
    alreadyProtected: 1,
  });
  expect(rows).toEqual(before);
});
