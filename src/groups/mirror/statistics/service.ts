// Counts what is in a mirror, and tells how an identity changed with its souls.
import { CompulsionType, CurationStatus } from '../../../contract/enums.ts';
import { implement } from '../../../contract/operation.ts';
import type { CheckpointDoc } from '../../../ports/checkpoints.ts';
import type { Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { SoulVersionDoc } from '../../identities/souls/versions.ts';
import type { DatasetDoc } from '../datasets/record.ts';
import type { OfIdentity, Owned } from '../owned.ts';
import type { TrainingPairDoc } from '../pairs/record.ts';
import type { ReflectionDoc } from '../reflections/record.ts';
import { during } from '../times.ts';
import type { TrainingRunDoc } from '../training/record.ts';
import { mirrorStatistics } from './contract.ts';
import { driftOf } from './drift.ts';

export interface StatisticsDeps {
  reflections: Keeper<ReflectionDoc>;
  pairs: Keeper<TrainingPairDoc>;
  datasets: Keeper<DatasetDoc>;
  runs: Keeper<TrainingRunDoc>;
  checkpoints: Keeper<CheckpointDoc>;
  souls: PerTenant<SoulVersionDoc>;
  owned: Owned;
}

/** Pulls that drift is told of, the newest. */
const mostPulls = 20_000;

export const statisticsService = implement(mirrorStatistics, (deps: StatisticsDeps) => {
  const { reflections, pairs, datasets, runs, checkpoints, souls, owned } = deps;
  return {
    stats: async ({ caller, params: { identityId }, query: { fromUtc, toUtc } }) => {
      await owned.identity(caller, identityId);
      const which = { identityId, ...during(fromUtc, toUtc) };
      const count = <Doc extends OfIdentity>(keeper: Keeper<Doc>, more: object = {}) =>
        keeper.of(caller.tenantId).countDocuments({ ...which, ...more } as unknown as Filter<Doc>);
      const kinds = CompulsionType.options;
      const felt = await Promise.all(kinds.map((compulsionType) => count(reflections, { compulsionType })));
      const statuses = CurationStatus.options;
      const curated = await Promise.all(statuses.map((curationStatus) => count(pairs, { curationStatus })));
      const [pairsDraft = 0, pairsApproved = 0, pairsRejected = 0, pairsUsed = 0] = curated;
      const totalReflections = sum(felt);
      const reflectionsResisted = await count(reflections, { wasResisted: true });
      const breakdown = kinds.map((kind, at) => [kind, felt[at] ?? 0] as const).filter(([, found]) => found > 0);
      return {
        ...{ identityId, totalReflections, reflectionsResisted, totalPairs: sum(curated) },
        resistanceRate: totalReflections === 0 ? 0 : reflectionsResisted / totalReflections,
        compulsionBreakdown: Object.fromEntries(breakdown),
        ...{ pairsDraft, pairsApproved, pairsRejected, pairsUsed },
        totalDatasets: await count(datasets),
        totalRuns: await count(runs),
        totalCheckpoints: await count(checkpoints),
      };
    },
    drift: async ({ caller, params: { identityId }, query: { fromUtc, toUtc, compulsionType } }) => {
      await owned.identity(caller, identityId);
      const which = { identityId, ...during(fromUtc, toUtc), ...(compulsionType && { compulsionType }) };
      const felt = await reflections
        .of(caller.tenantId)
        .find(which as Filter<ReflectionDoc>, { sort: { createdAt: -1 }, limit: mostPulls })
        .toArray();
      const versions = await souls(caller.tenantId)
        .find({ identityId }, { sort: { number: 1 } })
        .toArray();
      return driftOf(
        versions.map(({ _id: id, number, createdAt: since }) => ({ id, number, since })),
        felt.map(({ createdAt: at, wasResisted, compulsionType: kind }) => ({ at, wasResisted, compulsionType: kind })),
      );
    },
  };
});

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
