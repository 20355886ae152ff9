// What tenants want to keep for a shorter time than the server does, each by its policy.
import { auditHeads } from '../groups/audit-events/record.ts';
import type { Db } from '../ports/db.ts';
import type { RetentionRule, TenantRetentionRule } from '../ports/retention.ts';
import { type Policies, policySpec } from '../ports/tenant-policy.ts';
import { createDbEventStore } from '../stream/log/db-event-store.ts';
import { topicKey } from '../stream/log/topics.ts';

interface Deps {
  db: Db;
  policies: Pick<Policies, 'of'>;
}

const dayMs = 86_400_000;

/** A rule that follows the policy of each tenant. */
export const ruleOfTenants = (deps: Deps, { name, daysOf, prune }: TenantRetentionRule): RetentionRule => ({
  name,
  keptMs: 0,
  async *prune(now) {
    for (const tenantId of await withPolicies(deps.db)) {
      const days = daysOf(await deps.policies.of(tenantId));
      if (days !== null) yield* prune(now - days * dayMs, tenantId);
    }
  },
});

/** Who has neither a policy of their own nor an audit log has nothing to prune. */
async function withPolicies(db: Db): Promise<Set<number>> {
  const ids = { projection: { _id: 1 } } as const;
  const [own, audited] = await Promise.all([
    db.collection(policySpec).find({}, ids).toArray(),
    db.collection(auditHeads).find({}, ids).toArray(),
  ]);
  return new Set([...own, ...audited].map(({ _id }) => _id));
}

/** Durable events of the tenant's topics. A cursor before them gets `stream.gap`, as of any that are gone. */
export const pruneEvents = (db: Db): TenantRetentionRule => ({
  name: 'events, by tenants',
  daysOf: ({ eventRetentionDays }) => eventRetentionDays,
  async *prune(before, tenantId) {
    yield await createDbEventStore(db).trim(before, topicKey(tenantId, ''));
  },
});
