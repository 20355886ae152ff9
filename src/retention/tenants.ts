// What tenants want to keep for a shorter time than the server does: chats, events of streams, and their audit log.
import { pruneChain } from '../groups/audit-events/prune.ts';
import { auditHeads } from '../groups/audit-events/record.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Signer } from '../kernel/signer.ts';
import type { Db } from '../ports/db.ts';
import type { Ids } from '../ports/ids.ts';
import { type Policies, type PolicyDoc, policySpec } from '../ports/tenant-policy.ts';
import { createDbEventStore } from '../stream/log/db-event-store.ts';
import { topicKey } from '../stream/log/topics.ts';
import type { RetentionRule } from './retention.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  signer: Signer;
  policies: Pick<Policies, 'of'>;
}

type Prune = (before: number, tenantId: number) => AsyncIterable<number>;

const dayMs = 86_400_000;

export function rulesOfTenants(deps: Deps, pruneChats: Prune): RetentionRule[] {
  const rule = (name: string, daysOf: (policy: PolicyDoc) => number | null, prune: Prune): RetentionRule => ({
    name,
    keptMs: 0,
    prune: (now) => forEachTenant(deps, now, daysOf, prune),
  });
  return [
    rule('chats, by tenants', ({ chatRetentionDays }) => chatRetentionDays, pruneChats),
    rule(
      'events, by tenants',
      ({ eventRetentionDays }) => eventRetentionDays,
      (before, id) => pruneEvents(deps.db, before, id),
    ),
    rule(
      'audit log',
      ({ auditRetentionDays }) => auditRetentionDays,
      (before, id) => pruneChain(deps, id, before),
    ),
  ];
}

async function* forEachTenant(
  { db, policies }: Deps,
  now: number,
  daysOf: (policy: PolicyDoc) => number | null,
  prune: Prune,
): AsyncGenerator<number> {
  // Who has neither a policy of their own nor an audit log has nothing to prune.
  const [own, audited] = await Promise.all([
    db
      .collection(policySpec)
      .find({}, { projection: { _id: 1 } })
      .toArray(),
    db
      .collection(auditHeads)
      .find({}, { projection: { _id: 1 } })
      .toArray(),
  ]);
  for (const tenantId of new Set([...own, ...audited].map(({ _id }) => _id))) {
    const days = daysOf(await policies.of(tenantId));
    if (days !== null) yield* prune(now - days * dayMs, tenantId);
  }
}

/** Durable events of the tenant's topics. A cursor before them gets `stream.gap`, as of any that are gone. */
async function* pruneEvents(db: Db, before: number, tenantId: number): AsyncGenerator<number> {
  yield await createDbEventStore(db).trim(before, topicKey(tenantId, ''));
}
