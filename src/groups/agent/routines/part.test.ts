// Old rows of ledgers go; a row whose run has not ended stays, however old.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import type { RetentionBase } from '../../../ports/retention.ts';
import { agentRoutinesPart } from './part.ts';
import { type LedgerDoc, ledgerRecord } from './record.ts';

const day = 86_400_000;

it('deletes rows that are older than is kept, unless they are open', async () => {
  const db = openTestDb();
  const rows = db.collection(ledgerRecord.spec);
  const now = Date.UTC(2026, 10, 23);
  const row = (_id: number, days: number, outcomeId: LedgerDoc['outcomeId']) => {
    const createdAt = new Date(now - days * day);
    return { _id, tenantId: 1, routineId: 1, slot: String(_id), seq: _id, outcomeId, createdAt } as LedgerDoc;
  };
  await rows.insertMany([
    row(1, 401, 'Succeeded'),
    row(2, 401, 'Running'),
    row(3, 401, 'Pending'),
    row(4, 402, 'Missed'),
    row(5, 399, 'Failed'),
  ]);
  const { rules = [] } =
    agentRoutinesPart.retention?.({ db, kept: { ledgersMs: 400 * day } } as unknown as RetentionBase) ?? {};
  for (const { keptMs, prune } of rules) for await (const _ of prune(now - (keptMs ?? 0)));
  const left = await rows.find({}, { sort: { _id: 1 } }).toArray();
  expect(left.map(({ _id }) => _id)).toEqual([2, 3, 5]);
});
