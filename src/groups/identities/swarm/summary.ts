// One card for an identity: its runs of some days and their cost, what awaits it, what it knows, and whom.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { hiddenFrom, visibleTo } from '../../../ports/in-project.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { RunStatistics } from '../../agent/analytics/statistics.ts';
import type { Awaiting } from '../awaiting.ts';
import { liveChildren } from './ceiling.ts';
import type { ChildRun } from './children.ts';
import type { IdentitySummaryDto } from './dto.ts';
import type { Knowing } from './knowing.ts';

interface Deps {
  identities: PerTenant<IdentityDoc>;
  runs: PerTenant<ChildRun>;
  statistics: RunStatistics;
  awaiting: Awaiting;
  unread: (tenantId: number, identityId: number) => number | Promise<number>;
  knowing: Knowing;
  clock: Clock;
}

/** Counts what is open to who asks. */
export type Summaries = (
  by: Caller,
  identity: IdentityDoc,
  about: { days: number; from: number },
) => Promise<IdentitySummaryDto>;

export function createSummaries(deps: Deps): Summaries {
  const { identities, runs, statistics, awaiting, clock } = deps;
  return async (by, identity, { days, from }) => {
    const { _id: identityId, tenantId } = identity;
    const [[totals], open, unreadMessages, known, childCount, newest] = await Promise.all([
      statistics.totals(tenantId, { identityId, from, hiddenProjects: hiddenFrom(by) }, ['identityId']),
      awaiting.of({ tenantId, identityId }, by),
      deps.unread(tenantId, identityId),
      deps.knowing(by, identityId),
      identities(tenantId).countDocuments(liveChildren(identityId, clock.now())),
      runs(tenantId).findOne(
        { identityId, ...visibleTo<ChildRun>(by) },
        { sort: { createdAt: -1 }, projection: { createdAt: 1 } },
      ),
    ]);
    const decided = (totals?.completed ?? 0) + (totals?.failed ?? 0);
    const lastRunAtUtc = newest ? new Date(newest.createdAt).toISOString() : null;
    return {
      identityId,
      name: identity.name,
      displayName: identity.displayName,
      presenceState: identity.presenceState,
      ...open,
      totalRunCount: totals?.runs ?? 0,
      successRate: decided === 0 ? 0 : (totals?.completed ?? 0) / decided,
      tokensUsed: totals?.tokens ?? 0,
      costUsd: totals?.costUsd ?? 0,
      ...known,
      unreadMessages,
      childCount,
      lastRunAtUtc,
      lastActiveAtUtc: lastRunAtUtc,
      days,
    };
  };
}
