// Checks over what is derived: the chain of the audit log, and the indexes that memories are found by.
import { verifyChain } from '../../groups/audit-events/chain.ts';
import { indexingsOf } from '../../groups/maintenance/indexings.ts';
import type { Task } from '../../groups/maintenance/tasks.ts';
import type { PartBase } from '../../groups/part.ts';
import { createReindex } from '../../memory/reindex.ts';

export function checkTasks(base: PartBase): Record<'VerifyAuditChain' | 'ReindexEmbeddings', Task> {
  const reindex = createReindex(indexingsOf(base));
  return {
    VerifyAuditChain: {
      scope: 'tenant',
      takes: ['dryRun'],
      work: async ({ tenants, step }) => {
        let checked = 0;
        for (const tenantId of tenants) {
          const verdict = await verifyChain(base, tenantId);
          checked += verdict.checked;
          await step(checked);
          const error = verdict.reason && `${verdict.reason} At number ${verdict.brokenAtSeq}.`;
          if (error || tenants.length === 1) return { processed: verdict.checked, result: verdict, error };
        }
        return { processed: checked, result: { checked } };
      },
    },
    ReindexEmbeddings: {
      scope: 'server',
      takes: [],
      work: async () => {
        const result = await reindex();
        return { processed: result.reduce((sum, one) => sum + one.reopened + one.removed, 0), result };
      },
    },
  };
}
