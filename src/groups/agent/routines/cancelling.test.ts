// A routine's runs are cancelled whether its ledger knows their newest state or not.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { Fault } from '../../../kernel/fault.ts';
import { cancelRunsOf } from './cancelling.ts';
import { type LedgerDoc, ledgerRecord } from './record.ts';

it('cancels those under way and those being created, and passes over those that have ended', async () => {
  const rows = openTestDb().collection(ledgerRecord.spec);
  const row = (_id: number, outcomeId: LedgerDoc['outcomeId'], agentRunId: number | null, routineId = 1) =>
    rows.insertOne({ _id, routineId, seq: _id, slot: `slot ${_id}`, outcomeId, agentRunId } as LedgerDoc);
  await row(1, 'Succeeded', 10);
  // Its run has ended; the ledger has not heard of it.
  await row(2, 'Running', 20);
  await row(3, 'Pending', null);
  await row(4, 'Running', 40);
  await row(5, 'Running', 50, 2);
  const asked: number[] = [];
  await cancelRunsOf(
    {
      rows,
      life: { start: async (one) => ({ ...one, outcomeId: 'Running', agentRunId: 30 }) },
      cancelRun: async (id) => {
        asked.push(id);
        if (id === 20) throw new Fault('INVALID_TRANSITION', 'Run 20 is Completed: it cannot cancel.');
      },
    },
    1,
  );
  expect(asked).toEqual([20, 30, 40]);
  const broken = cancelRunsOf(
    { rows, life: { start: async (one) => one }, cancelRun: () => Promise.reject(new Error('no store')) },
    2,
  );
  await expect(broken).rejects.toThrow('no store');
});
