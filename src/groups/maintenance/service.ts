// Does maintenance jobs while their caller waits.
import { randomUUID } from 'node:crypto';
import type { MaintenanceTask } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Signer } from '../../kernel/signer.ts';
import type { Reindexed } from '../../memory/reindex.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { verifyChain } from '../audit-events/chain.ts';
import { maintenance } from './contract.ts';

export interface MaintenanceDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  signer: Signer;
  reindex(): Promise<Reindexed[]>;
}

interface Outcome {
  succeeded: boolean;
  processed: number;
  result: unknown;
  error: string | null;
}

export const maintenanceService = implement(maintenance, ({ db, ids, clock, signer, reindex }: MaintenanceDeps) => {
  const verify = async (tenantId: number): Promise<Outcome> => {
    const verdict = await verifyChain({ db, signer }, tenantId);
    const error = verdict.reason && `${verdict.reason} At number ${verdict.brokenAtSeq}.`;
    return { succeeded: verdict.valid, processed: verdict.checked, result: verdict, error };
  };
  const makeIndexes = async (): Promise<Outcome> => {
    const result = await reindex();
    const processed = result.reduce((sum, one) => sum + one.reopened + one.removed, 0);
    return { succeeded: true, processed, result, error: null };
  };
  const jobs: Partial<Record<MaintenanceTask, (tenantId: number) => Promise<Outcome>>> = {
    VerifyAuditChain: verify,
    ReindexEmbeddings: makeIndexes,
  };
  return {
    start: async ({ caller, body: { task, dryRun = false } }) => {
      const job = jobs[task];
      if (!job)
        throw new Fault('NOT_CONFIGURED', `This server does no ${task} by request.`, {
          hint: 'VerifyAuditChain and ReindexEmbeddings are there; docs/operations.md tells what is done by itself.',
        });
      if (dryRun && task === 'ReindexEmbeddings')
        throw new Fault('VALIDATION_FAILED', 'ReindexEmbeddings cannot be tried without doing it.', {
          hint: 'Leave dryRun out: what is right already stays as it is.',
        });
      const startedAtUtc = new Date(clock.now()).toISOString();
      const { succeeded, processed, result, error } = await job(caller.tenantId);
      return {
        id: await ids.next('maintenance_runs'),
        guid: randomUUID(),
        task,
        state: succeeded ? ('Succeeded' as const) : ('Failed' as const),
        dryRun: dryRun ?? false,
        progressPercent: 100,
        processed,
        total: null,
        resultJson: JSON.stringify(result),
        errorMessage: error,
        requestedByName: caller.name,
        startedAtUtc,
        completedAtUtc: new Date(clock.now()).toISOString(),
        createdAtUtc: startedAtUtc,
      };
    },
  };
});
