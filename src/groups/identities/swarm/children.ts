// The children of an identity with what each is at work on, and how many more there may be.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { type Ceiling, liveChildren } from './ceiling.ts';
import type { SwarmChildDto, SwarmChildListResult } from './dto.ts';
import { tagCounts } from './tags.ts';

/** What is read of the runs of children. */
export interface ChildRun {
  _id: number;
  tenantId: number;
  projectId: number | null;
  identityId: number;
  status: NonNullable<SwarmChildDto['runStatus']>;
  goal: string;
  role: string;
  spawnDepth: number;
  /** ms since 1970 UTC. */
  createdAt: number;
  tokensUsed: number;
  costUsd: number;
}

interface Deps {
  identities: PerTenant<IdentityDoc>;
  runs: PerTenant<ChildRun>;
  ceiling: Pick<Ceiling, 'of'>;
  clock: Clock;
}

interface Wanted {
  liveOnly: boolean;
  tag: string | undefined;
  limit: number;
}

export type Children = (parent: IdentityDoc, wanted: Wanted) => Promise<SwarmChildListResult>;

export function createChildren({ identities, runs, ceiling, clock }: Deps): Children {
  /** What the runs of identities took together, and the newest of each. */
  const workOf = async (tenantId: number, ids: number[]) => {
    const sums = await runs(tenantId)
      .aggregate<{ _id: number; tokensUsed: number; costUsd: number; newest: number }>([
        { $match: { identityId: { $in: ids } } },
        {
          $group: {
            _id: '$identityId',
            tokensUsed: { $sum: '$tokensUsed' },
            costUsd: { $sum: '$costUsd' },
            newest: { $max: '$_id' },
          },
        },
      ])
      .toArray();
    const newest = await runs(tenantId)
      .find({ _id: { $in: sums.map((one) => one.newest) } })
      .toArray();
    return new Map(sums.map((sum) => [sum._id, { ...sum, run: newest.find((one) => one._id === sum.newest) }]));
  };

  return async ({ _id, tenantId }, { liveOnly, tag, limit }) => {
    const of = identities(tenantId);
    const live = liveChildren(_id, clock.now());
    const all = { provisionedByIdentityId: _id, deletedAt: null };
    const wanted = { ...(liveOnly ? live : all), ...(tag === undefined ? {} : { tags: tag }) };
    const [found, liveCount, most, tagVocabulary] = await Promise.all([
      of.find(wanted, { sort: { createdAt: -1, _id: -1 }, limit }).toArray(),
      of.countDocuments(live),
      ceiling.of(tenantId, _id),
      tagCounts(of, all),
    ]);
    const ids = found.map((one) => one._id);
    const work = ids.length > 0 ? await workOf(tenantId, ids) : new Map();
    return {
      children: found.map((child) => toChild(child, work.get(child._id))),
      liveCount,
      ceiling: most,
      remaining: Math.max(0, most - liveCount),
      tagVocabulary: tagVocabulary.sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)),
    };
  };
}

interface Work {
  tokensUsed: number;
  costUsd: number;
  run: ChildRun | undefined;
}

function toChild(child: IdentityDoc, { run, tokensUsed = 0, costUsd = 0 }: Partial<Work> = {}): SwarmChildDto {
  return {
    identityId: child._id,
    name: child.name,
    displayName: child.displayName,
    type: child.type,
    presenceState: child.presenceState,
    isActive: child.isActive,
    runId: run?._id ?? null,
    runStatus: run?.status ?? null,
    goal: run?.goal ?? null,
    roleName: run?.role ?? null,
    tags: child.tags,
    spawnDepth: run?.spawnDepth ?? 0,
    tokensUsed,
    costUsd,
    lastActiveAtUtc: run ? new Date(run.createdAt).toISOString() : null,
    expiresAtUtc: child.expiresAt?.toISOString() ?? null,
    createdAtUtc: child.createdAt.toISOString(),
  };
}
