// Does maintenance jobs while their caller waits.
import { randomUUID } from 'node:crypto';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Signer } from '../../kernel/signer.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { verifyChain } from '../audit-events/chain.ts';
import { maintenance } from './contract.ts';

export interface MaintenanceDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  signer: Signer;
}

export const maintenanceService = implement(maintenance, ({ db, ids, clock, signer }: MaintenanceDeps) => ({
  start: async ({ caller, body: { task, dryRun } }) => {
    if (task !== 'VerifyAuditChain')
      throw new Fault('NOT_CONFIGURED', `This server does no ${task} by request.`, {
        hint: 'VerifyAuditChain is the one task there is; docs/operations.md tells what is done by itself.',
      });
    const startedAtUtc = new Date(clock.now()).toISOString();
    const verdict = await verifyChain({ db, signer }, caller.tenantId);
    return {
      id: await ids.next('maintenance_runs'),
      guid: randomUUID(),
      task,
      state: verdict.valid ? ('Succeeded' as const) : ('Failed' as const),
      dryRun: dryRun ?? false,
      progressPercent: 100,
      processed: verdict.checked,
      total: null,
      resultJson: JSON.stringify(verdict),
      errorMessage: verdict.reason && `${verdict.reason} At number ${verdict.brokenAtSeq}.`,
      requestedByName: caller.name,
      startedAtUtc,
      completedAtUtc: new Date(clock.now()).toISOString(),
      createdAtUtc: startedAtUtc,
    };
  },
}));
