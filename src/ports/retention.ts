// How long things are kept: rules that groups declare in their parts, and how what is too old is found and deleted.
import type { Clock } from '../kernel/clock.ts';
import type { Signer } from '../kernel/signer.ts';
import type { Collection, CollectionSpec, Db, Entity, Filter } from './db.ts';
import type { Ids } from './ids.ts';
import type { TenantPolicy } from './tenant-policy.ts';

/** One kind of things and how long they are kept. */
export interface RetentionRule {
  name: string;
  /** For ever when null. */
  keptMs: number | null;
  /**
   * Finds and deletes what was last changed before `before` (ms since 1970 UTC) in small steps, and yields after each how many
   * things it deleted, 0 included.
   */
  prune(before: number): AsyncIterable<number>;
}

/** What each tenant may want to keep for a shorter time than the server does, by its policy. */
export interface TenantRetentionRule {
  name: string;
  /** For ever when null. */
  daysOf(policy: TenantPolicy): number | null;
  /** As that of `RetentionRule`, within the tenant. */
  prune(before: number, tenantId: number): AsyncIterable<number>;
}

export interface RetentionRules {
  rules?: readonly RetentionRule[];
  ofTenants?: readonly TenantRetentionRule[];
}

/** What groups need to know and to reach for their rules. */
export interface RetentionBase {
  db: Db;
  ids: Ids;
  clock: Clock;
  signer: Signer;
  /** What the operator has set, in ms; null: for ever. */
  kept: Readonly<
    Record<'runsMs' | 'chatsMs' | 'messagesMs' | 'callsMs' | 'activityMs' | 'ledgersMs' | 'logMs', number | null>
  >;
  /** Deletes the topics of a tenant with their events. */
  removeTopics(tenantId: number, topics: readonly string[]): Promise<void>;
  /** Deletes the councils that chats have held. */
  removeCouncilsOf(chatSessionIds: readonly number[]): Promise<void>;
}

/** Documents that one step looks at. */
export const retentionStep = 50;
/** Documents of one write, so that nobody else waits for it. */
const chunk = 100;

/** Deletes what matches, in bounded writes one after the other; returns how many went. */
export async function deleteInBatches<T extends Entity>(collection: Collection<T>, filter: Filter<T>): Promise<number> {
  for (let removed = 0; ; ) {
    const some = await collection
      .find(filter, { limit: chunk, projection: { _id: 1 } as never })
      .project<{ _id: T['_id'] }>({ _id: 1 } as never)
      .toArray();
    if (some.length === 0) return removed;
    const { deletedCount } = await collection.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } } as Filter<T>);
    removed += deletedCount;
    if (some.length < chunk) return removed;
  }
}

/** All documents in order of their ids, some at a time; ids grow with time, nearly. */
export async function* pagesOf<T extends Entity>(
  collection: Collection<T>,
  filter: Filter<T>,
): AsyncGenerator<T[], void, void> {
  for (let after: T['_id'] | null = null; ; ) {
    const range = after === null ? {} : { _id: { $gt: after } };
    const page: T[] = await collection
      .find({ ...filter, ...range } as Filter<T>, { sort: { _id: 1 } as never, limit: retentionStep })
      .toArray();
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last._id;
  }
}

/** Documents of their own, by the Date of their creation, which their ids follow. */
export async function* pruneByDate<T extends Entity & { createdAt: Date }>(
  db: Db,
  spec: CollectionSpec<T>,
  before: number,
): AsyncGenerator<number> {
  const collection = db.collection(spec);
  for await (const page of pagesOf(collection, {} as Filter<T>)) {
    const old = page.filter((one) => one.createdAt.getTime() < before);
    await collection.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } } as unknown as Filter<T>);
    yield old.length;
    if (old.length === 0) return;
  }
}
