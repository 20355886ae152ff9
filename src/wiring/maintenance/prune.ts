// Pruning on request: events, chats and logs that are older than asked for, or than their tenants want to keep.
import { chatSessionSpec } from '../../groups/chat/documents.ts';
import { chatRetention } from '../../groups/chat/retention.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { RetentionBase, TenantRetentionRule } from '../../ports/retention.ts';
import type { Policies, TenantPolicy } from '../../ports/tenant-policy.ts';
import { pruneEvents } from '../../retention/tenants.ts';
import { streamEvents } from '../../stream/log/db-event-store.ts';
import { topicKey } from '../../stream/log/topics.ts';

/** Where the structured log is kept. */
export interface LogStore {
  /** Deletes lines that were written before (ms), in small steps; yields how many. */
  prune(before: number): AsyncIterable<number>;
  count(before: number): Promise<number>;
}

interface Deps {
  db: Db;
  clock: Clock;
  policies: Pick<Policies, 'of'>;
  retention: RetentionBase;
  logs: LogStore;
}

const dayMs = 86_400_000;

interface Kind extends Pick<TenantRetentionRule, 'prune'> {
  daysOf(policy: TenantPolicy): number | null;
  count(tenantId: number, before: number): Promise<number>;
}

export function pruneTasks(deps: Deps): Record<'PruneEvents' | 'PruneChats' | 'PruneLogs', Task> {
  const { db, clock, policies } = deps;
  const events: Kind = {
    ...pruneEvents(db),
    count: (tenantId, before) => {
      const key = topicKey(tenantId, '');
      return db.collection(streamEvents).countDocuments({ _id: { $gt: key, $lt: `${key}~` }, at: { $lt: before } });
    },
  };
  const ofChats = chatRetention(deps.retention).ofTenants?.[0] as TenantRetentionRule;
  const chats: Kind = {
    ...ofChats,
    count: (tenantId, before) =>
      db
        .collection(chatSessionSpec)
        .countDocuments({ tenantId, updatedAt: { $lt: before }, generation: null, isPinned: false }),
  };
  /** Logs of all tenants, kept as long as the operator's policy says. */
  const logs: Kind = {
    daysOf: ({ logRetentionDays }) => logRetentionDays,
    prune: (before) => deps.logs.prune(before),
    count: (_operator, before) => deps.logs.count(before),
  };
  const prune =
    ({ daysOf, prune, count }: Kind) =>
    async ({ tenants, olderThanDays, dryRun, step }: TaskContext): Promise<Outcome> => {
      let removed = 0;
      for (const tenantId of tenants) {
        const days = olderThanDays ?? daysOf(await policies.of(tenantId));
        if (days === null) continue;
        const before = clock.now() - days * dayMs;
        if (dryRun) removed += await count(tenantId, before);
        else
          for await (const some of prune(before, tenantId)) {
            removed += some;
            await step(removed);
          }
      }
      if (!dryRun) await db.reclaim?.();
      return { processed: removed, result: { removed } };
    };
  const takes = ['dryRun', 'olderThanDays'] as const;
  return {
    PruneEvents: { scope: 'tenant', takes, work: prune(events) },
    PruneChats: { scope: 'tenant', takes, work: prune(chats) },
    PruneLogs: { scope: 'server', takes, work: prune(logs) },
  };
}
