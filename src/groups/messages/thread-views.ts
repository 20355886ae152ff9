// Threads as one identity sees them: only the messages that it has sent or received count.
import type { Filter } from '../../ports/db.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { EntryDoc, MemberDoc, MessageDoc, ThreadDoc } from './documents.ts';
import type { MessageThreadDetailDto, MessageThreadDto } from './dto.ts';
import type { Reads, Viewer } from './reads.ts';

interface Deps {
  messages: PerTenant<MessageDoc>;
  entries: PerTenant<EntryDoc>;
  threads: PerTenant<ThreadDoc>;
  members: PerTenant<MemberDoc>;
  reads: Reads;
  /** Names of identities by their numbers. */
  namesOf: (tenantId: number, ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
}

interface ThreadsQuery {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  unreadOnly?: boolean | undefined;
  archived?: boolean | undefined;
  projectId?: number | undefined;
}

const excerptLength = 200;
const plainLimit = 50;

export type ThreadViews = ReturnType<typeof createThreadViews>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createThreadViews({ messages, entries, threads, members, reads, namesOf }: Deps) {
  const count = async (rows: Promise<{ _id: number; count: number }[]>) =>
    new Map((await rows).map(({ _id, count }) => [_id, count]));

  /** How many messages of each thread the viewer has, and how many of them are unread. */
  const countsOf = async ({ tenantId, identityId }: Viewer, ids: number[]) => {
    const mine = { identityId, threadId: { $in: ids }, rejectedReason: null, removedAt: null };
    const byThread = { $group: { _id: '$threadId', count: { $count: {} } } };
    type Row = { _id: number; count: number };
    const [received, unread, sent] = await Promise.all([
      // What somebody says to themselves is in both; it counts as sent.
      count(
        entries(tenantId)
          .aggregate<Row>([{ $match: { ...mine, senderId: { $ne: identityId } } }, byThread])
          .toArray(),
      ),
      count(
        entries(tenantId)
          .aggregate<Row>([{ $match: { ...mine, unread: true } }, byThread])
          .toArray(),
      ),
      count(
        messages(tenantId)
          .aggregate<Row>([
            { $match: { senderId: identityId, threadId: { $in: ids }, senderRemovedAt: null } },
            byThread,
          ])
          .toArray(),
      ),
    ]);
    return { received, unread, sent };
  };

  const putAway = async ({ tenantId, identityId }: Viewer, ids: number[]): Promise<ReadonlySet<number>> => {
    const found = await members(tenantId)
      .find({ identityId, archived: true, threadId: { $in: ids } })
      .toArray();
    return new Set(found.map((one) => one.threadId));
  };

  const show = async (viewer: Viewer, list: readonly ThreadDoc[]): Promise<MessageThreadDto[]> => {
    const { tenantId } = viewer;
    const ids = list.map((one) => one._id);
    const [counts, names, away, last] = await Promise.all([
      countsOf(viewer, ids),
      namesOf(
        tenantId,
        list.flatMap((one) => one.participantIds),
      ),
      putAway(viewer, ids),
      Promise.all(ids.map(async (id) => (await reads.visibleIds(viewer, id, { limit: 1 }))[0] ?? null)),
    ]);
    const latest = await messages(tenantId)
      .find({ _id: { $in: last.filter((id) => id !== null) } })
      .toArray();
    return list.map((thread, at) => {
      const message = latest.find((one) => one._id === last[at]);
      return {
        id: thread._id,
        guid: thread.guid,
        title: thread.title,
        projectId: thread.projectId,
        runId: thread.runId,
        participants: thread.participantIds.map((id) => ({
          identityId: id,
          identityName: names.get(id) ?? '',
          deliveredAtUtc: null,
          readAtUtc: null,
          archivedAtUtc: null,
          rejectedReason: null,
        })),
        messageCount: (counts.received.get(thread._id) ?? 0) + (counts.sent.get(thread._id) ?? 0),
        unreadCount: counts.unread.get(thread._id) ?? 0,
        lastMessageExcerpt: message?.content.slice(0, excerptLength) ?? null,
        lastSenderName: message?.senderName ?? null,
        lastMessageAtUtc: (message?.createdAt ?? thread.lastMessageAt).toISOString(),
        archived: away.has(thread._id),
        createdAtUtc: thread.createdAt.toISOString(),
      };
    });
  };

  const unreadThreads = async ({ tenantId, identityId }: Viewer): Promise<number[]> => {
    const rows = await entries(tenantId)
      .aggregate<{ _id: number }>([{ $match: { identityId, unread: true } }, { $group: { _id: '$threadId' } }])
      .toArray();
    return rows.map(({ _id }) => _id);
  };

  return {
    async list(
      viewer: Viewer,
      { unreadOnly, archived = false, projectId, sort = '-lastMessageAtUtc', ...query }: ThreadsQuery,
    ) {
      const { tenantId, identityId } = viewer;
      const filter = {
        identityId,
        archived,
        ...(projectId === undefined ? {} : { projectId }),
        ...(unreadOnly ? { threadId: { $in: await unreadThreads(viewer) } } : {}),
      } as Filter<MemberDoc>;
      const by = sortOf<MemberDoc>(sort.replace(/id$/, 'threadId'));
      const found = await pageOf(members(tenantId), { ...query, filter, sort: by });
      const ids = found.items.map((one) => one.threadId);
      const list = await threads(tenantId)
        .find({ _id: { $in: ids } })
        .toArray();
      const ordered = ids.flatMap((id) => list.filter((one) => one._id === id));
      return { items: await show(viewer, ordered), totalCount: found.totalCount };
    },
    one: async (viewer: Viewer, thread: ThreadDoc): Promise<MessageThreadDto> =>
      (await show(viewer, [thread]))[0] as MessageThreadDto,
    async detail(
      viewer: Viewer,
      thread: ThreadDoc,
      { beforeId, limit = plainLimit }: { beforeId?: number | undefined; limit?: number | undefined },
    ): Promise<MessageThreadDetailDto> {
      const below = beforeId === undefined ? {} : { below: beforeId };
      const ids = await reads.visibleIds(viewer, thread._id, { ...below, limit: limit + 1 });
      const shown = await messages(viewer.tenantId)
        .find({ _id: { $in: ids.slice(0, limit) } }, { sort: { _id: 1 } })
        .toArray();
      const [summary] = await show(viewer, [thread]);
      return {
        ...(summary as MessageThreadDto),
        messages: await reads.toDtos(viewer.tenantId, shown),
        hasEarlier: ids.length > limit,
      };
    },
  };
}
