// A queue whose jobs are documents with a status: counts, lists and finds them, each tenant's apart.
import type { JobState } from '../../contract/enums.ts';
import type { Entity, Filter, Sort } from '../../ports/db.ts';
import type { Job, Queue, QueueCounts } from '../../ports/queues.ts';
import type { PerTenant } from '../../ports/tenanted.ts';

export interface CollectionQueue<Doc extends Entity & { tenantId: number }>
  extends Pick<Queue, 'name' | 'description' | 'usual' | 'scales' | 'retry'> {
  of: PerTenant<Doc>;
  /** The documents of each state; a state that the queue does not have is left out. */
  states: Partial<Record<JobState, Filter<Doc>>>;
  /** Jobs that ended at a time or later. */
  endedSince(at: Date): Filter<Doc>;
  show(doc: Doc): Job;
  drop(tenantId: number, doc: Doc): Promise<boolean>;
}

const hourMs = 3_600_000;
/** Ended jobs whose durations are averaged. */
const sampled = 200;
const nothing: Filter<Entity> = { _id: { $in: [] } };

export function createCollectionQueue<Doc extends Entity & { tenantId: number }>(kind: CollectionQueue<Doc>): Queue {
  const of = kind.of as unknown as PerTenant<Entity & { tenantId: number }>;
  const show = kind.show as unknown as (doc: Entity) => Job;
  type Filters = Filter<Entity & { tenantId: number }>;
  const inState = (state: JobState): Filters => (kind.states[state] ?? nothing) as Filters;
  const both = (...filters: Filters[]): Filters => ({ $and: filters });
  const byAge = (direction: 1 | -1) => ({ createdAt: direction, _id: direction }) as unknown as Sort<Entity>;
  const oldest = { sort: byAge(1), limit: 1 };
  const newest = { sort: byAge(-1), limit: 1 };
  return {
    name: kind.name,
    description: kind.description,
    usual: kind.usual,
    scales: kind.scales,
    retry: kind.retry,
    async counts(tenantId, { now, clearedAt }): Promise<QueueCounts> {
      const jobs = of(tenantId);
      const failures = both(inState('Failed'), kind.endedSince(new Date(clearedAt + 1)) as Filters);
      const lately = both(inState('Succeeded'), kind.endedSince(new Date(now - hourMs)) as Filters);
      const [waiting, delayed, active, failed, completedLastHour] = await Promise.all(
        [inState('Queued'), inState('Scheduled'), inState('Running'), failures, lately].map((one) =>
          jobs.countDocuments(one),
        ),
      );
      const [first] = await jobs.find(inState('Queued'), oldest).toArray();
      const [lastFailed] = await jobs.find(failures, newest).toArray();
      const ended = await jobs.find(lately, { sort: byAge(-1), limit: sampled }).toArray();
      const durations = ended
        .map(show)
        .flatMap(({ startedAt, finishedAt }) =>
          startedAt && finishedAt ? [Math.max(0, +finishedAt - +startedAt)] : [],
        );
      return {
        waiting: waiting ?? 0,
        delayed: delayed ?? 0,
        active: active ?? 0,
        failed: failed ?? 0,
        completedLastHour: completedLastHour ?? 0,
        avgDurationMs: durations.length > 0 ? durations.reduce((sum, one) => sum + one, 0) / durations.length : null,
        oldestWaitingAt: first ? show(first).createdAt : null,
        lastError: lastFailed ? show(lastFailed).error : null,
      };
    },
    async jobs(tenantId, { page, pageSize, state, oldestFirst, id }) {
      const jobs = of(tenantId);
      const some = Object.values(kind.states) as Filters[];
      const filter = both(state ? inState(state) : { $or: some }, ...(id === undefined ? [] : [{ _id: id }]));
      const [items, totalCount] = await Promise.all([
        jobs
          .find(filter, { sort: byAge(oldestFirst ? 1 : -1), skip: (page - 1) * pageSize, limit: pageSize })
          .toArray(),
        jobs.countDocuments(filter),
      ]);
      return { items: items.map(show), totalCount };
    },
    async find(tenantId, id) {
      const found = await of(tenantId).findOne({ _id: id });
      return found && show(found);
    },
    async drop(tenantId, id) {
      const found = await of(tenantId).findOne({ _id: id });
      return found !== null && kind.drop(tenantId, found as unknown as Doc);
    },
  };
}
