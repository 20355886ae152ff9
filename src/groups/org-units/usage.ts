// What a unit and those below it have used: runs, model calls, tokens and cost.
import type { RunStatus } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { CallDoc } from '../../ports/ai-router.ts';
import type { Collection, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { inUnit, seriesOf, totalsOf, toUsageRows, windowOf } from '../ai-router/usage/totals.ts';
import type { Base } from './base.ts';
import type { orgUnits } from './contract.ts';

/** A run, as far as units count it. */
export interface CountedRun {
  _id: number;
  tenantId: number;
  status: RunStatus;
  projectId: number | null;
  identityId: number;
  createdAt: Date;
}

/**
 * Runs that belong to some units now: by their project, and by their identity where their project belongs to no unit.
 */
export async function countRuns(
  { projects, identities }: Pick<Base, 'projects' | 'identities'>,
  runs: Collection<CountedRun>,
  { tenantId, unitIds }: { tenantId: number; unitIds: readonly number[] },
  which: Filter<CountedRun>,
): Promise<number> {
  const placed = await projects
    .of(tenantId)
    .find({ orgUnitId: { $gt: 0 } }, { projection: { _id: 1, orgUnitId: 1 } })
    .toArray();
  const belonging = await identities
    .of(tenantId)
    .find({ orgUnitId: { $in: [...unitIds] } } as never, { projection: { _id: 1 } })
    .toArray();
  const own = placed.filter(({ orgUnitId }) => orgUnitId !== null && unitIds.includes(orgUnitId));
  const count = (those: object) => runs.countDocuments({ $and: [which, those] } as Filter<CountedRun>);
  const [inProjects, byIdentity] = await Promise.all([
    own.length === 0 ? 0 : count({ projectId: { $in: ids(own) } }),
    belonging.length === 0
      ? 0
      : count({
          identityId: { $in: ids(belonging) },
          ...(placed.length > 0 && { projectId: { $nin: ids(placed) } }),
        }),
  ]);
  return inProjects + byIdentity;
}

const ids = (docs: readonly { _id: number }[]) => docs.map(({ _id }) => _id);

/** What calls the caller may know of. */
export const callsFor = (caller: Caller) => visibleTo<CallDoc>(caller);

export function usageHandlers(
  base: Base & { runs: (tenantId: number) => Collection<CountedRun> },
): Pick<Handlers<typeof orgUnits>, 'usage'> {
  const { store, clock } = base;
  return {
    usage: async ({ caller, params, query: { bucket, groupBy, ...span } }) => {
      const { tree } = await base.find(caller, params.id);
      const window = windowOf(span, clock);
      const filter = { ...callsFor(caller), ...inUnit(tree, params.id) };
      const calls = store.calls(caller.tenantId);
      const { all, groups } = await totalsOf(calls, filter, window, groupBy);
      const created = { createdAt: { $gte: window.from, $lt: window.to } };
      const which = { ...visibleTo<CountedRun>(caller), ...created } as Filter<CountedRun>;
      const unitIds = tree.idsBelow(params.id);
      return {
        orgUnitId: params.id,
        fromUtc: window.from.toISOString(),
        toUtc: window.to.toISOString(),
        runCount: await countRuns(base, base.runs(caller.tenantId), { tenantId: caller.tenantId, unitIds }, which),
        calls: all.calls,
        totalTokens: all.promptTokens + all.completionTokens,
        costUsd: all.costUsd,
        rows: toUsageRows(groups, groupBy === 'OrgUnit' ? tree : null),
        points: await seriesOf(calls, filter, window, { bucket, groupBy: 'None' }),
      };
    },
  };
}
