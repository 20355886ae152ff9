// Reads mailboxes and threads as one identity sees them: what it has sent, and what it was sent.
import type { MessagePriority, MessageType } from '../../contract/enums.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import {
  type EntryDoc,
  type MessageDoc,
  mailboxesOf,
  type ThreadDoc,
  toInboxMessageDto,
  toMessageDto,
} from './documents.ts';
import type { InboxMessageDto, MessageDto, MessageSearchHit } from './dto.ts';

export interface ReadsDeps {
  messages: PerTenant<MessageDoc>;
  entries: PerTenant<EntryDoc>;
  threads: PerTenant<ThreadDoc>;
}

/** Whose view it is. */
export interface Viewer {
  tenantId: number;
  identityId: number;
}

interface Paged {
  page: number;
  pageSize: number;
  sort?: string | undefined;
}

export interface InboxQuery extends Paged {
  unreadOnly?: boolean | undefined;
  includeArchived?: boolean | undefined;
  awaitsReply?: boolean;
  type?: MessageType | undefined;
  priority?: MessagePriority | undefined;
  senderId?: number | undefined;
  sinceUtc?: string | undefined;
}

/** Messages that a search looks through, the newest of a mailbox and of what was sent. */
const searched = 5000;
const snippetLength = 160;

/** Entries that are in a mailbox: neither refused nor taken out. */
const there = { rejectedReason: null, removedAt: null } as const;

export type Reads = ReturnType<typeof createReads>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createReads({ messages, entries, threads }: ReadsDeps) {
  const byIds = async (tenantId: number, ids: readonly number[]) => {
    if (ids.length === 0) return { found: new Map<number, MessageDoc>(), mailboxes: mailboxesOf([]) };
    const [list, all] = await Promise.all([
      messages(tenantId)
        .find({ _id: { $in: [...ids] } })
        .toArray(),
      entries(tenantId)
        .find({ messageId: { $in: [...ids] } })
        .toArray(),
    ]);
    return { found: new Map(list.map((one) => [one._id, one])), mailboxes: mailboxesOf(all) };
  };

  const titlesOf = async (tenantId: number, ids: readonly number[]) => {
    const found = await threads(tenantId)
      .find({ _id: { $in: [...new Set(ids)] } }, { projection: { title: 1 } })
      .toArray();
    return new Map(found.map((one) => [one._id, one.title ?? null]));
  };

  const toInbox = async (tenantId: number, list: readonly EntryDoc[]): Promise<InboxMessageDto[]> => {
    const { found, mailboxes } = await byIds(
      tenantId,
      list.map((one) => one.messageId),
    );
    const titles = await titlesOf(
      tenantId,
      list.map((one) => one.threadId),
    );
    return list.flatMap((entry) => {
      const message = found.get(entry.messageId);
      if (!message) return [];
      return [toInboxMessageDto(message, mailboxes.get(message._id) ?? [], entry, titles.get(entry.threadId) ?? null)];
    });
  };

  const toDtos = async (tenantId: number, list: readonly MessageDoc[]): Promise<MessageDto[]> => {
    const { mailboxes } = await byIds(
      tenantId,
      list.map((one) => one._id),
    );
    return list.map((one) => toMessageDto(one, mailboxes.get(one._id) ?? []));
  };

  const sentBy = ({ identityId }: Viewer) => ({ senderId: identityId, senderRemovedAt: null }) as const;

  /** The newest of both, by number: messages are numbered as they are sent. */
  const visibleIds = async (viewer: Viewer, threadId: number, { below, limit }: { below?: number; limit: number }) => {
    const { tenantId, identityId } = viewer;
    const before = below === undefined ? {} : { $lt: below };
    const [received, sent] = await Promise.all([
      entries(tenantId)
        .find(
          { identityId, threadId, ...there, ...(below === undefined ? {} : { messageId: before }) },
          { sort: { messageId: -1 }, limit, projection: { messageId: 1 } },
        )
        .toArray(),
      messages(tenantId)
        .find(
          { threadId, ...sentBy(viewer), ...(below === undefined ? {} : { _id: before }) },
          { sort: { _id: -1 }, limit, projection: { _id: 1 } },
        )
        .toArray(),
    ]);
    const ids = new Set([...received.map((one) => one.messageId), ...sent.map((one) => one._id)]);
    return [...ids].sort((a, b) => b - a).slice(0, limit);
  };

  return {
    toDtos,
    visibleIds,
    async inbox(viewer: Viewer, { page, pageSize, sort = '-createdAtUtc', ...query }: InboxQuery) {
      const { tenantId, identityId } = viewer;
      const filter = {
        identityId,
        ...there,
        ...(query.unreadOnly ? { unread: true } : {}),
        ...(query.awaitsReply ? { awaitsReply: true } : {}),
        ...(query.includeArchived || query.awaitsReply ? {} : { archivedAt: null }),
        ...(query.type === undefined ? {} : { type: query.type }),
        ...(query.priority === undefined ? {} : { priority: query.priority }),
        ...(query.senderId === undefined ? {} : { senderId: query.senderId }),
        ...(query.sinceUtc === undefined ? {} : { createdAt: { $gte: new Date(query.sinceUtc) } }),
      } as Filter<EntryDoc>;
      const byNumber = /id$/.test(sort) ? sort.replace('id', 'messageId') : sort;
      const found = await pageOf(entries(tenantId), { page, pageSize, filter, sort: sortOf<EntryDoc>(byNumber) });
      return { items: await toInbox(tenantId, found.items), totalCount: found.totalCount };
    },
    async sent(
      viewer: Viewer,
      { recipientId, type, ...query }: Paged & { recipientId?: number | undefined; type?: MessageType | undefined },
    ) {
      const filter = {
        ...sentBy(viewer),
        ...(type === undefined ? {} : { type }),
        ...(recipientId === undefined ? {} : { recipients: { $elemMatch: { identityId: recipientId } } }),
      } as Filter<MessageDoc>;
      const sort = sortOf<MessageDoc>(query.sort ?? '-createdAtUtc');
      const found = await pageOf(messages(viewer.tenantId), { ...query, filter, sort });
      return { items: await toDtos(viewer.tenantId, found.items), totalCount: found.totalCount };
    },
    /** A message as an identity sees it; null for one that it has neither sent nor received. */
    async one({ tenantId, identityId }: Viewer, message: MessageDoc): Promise<InboxMessageDto | null> {
      const mailboxes = await entries(tenantId).find({ messageId: message._id }).toArray();
      const own = mailboxes.find((one) => one.identityId === identityId && !one.removedAt);
      const titles = await titlesOf(tenantId, [message.threadId]);
      const title = titles.get(message.threadId) ?? null;
      if (own) return toInboxMessageDto(message, mailboxes, own, title);
      if (message.senderId !== identityId || message.senderRemovedAt) return null;
      return toInboxMessageDto(message, mailboxes, null, title);
    },
    async search(
      viewer: Viewer,
      wanted: {
        q: string;
        senderId?: number | undefined;
        threadId?: number | undefined;
        limit: number;
        among?: number;
      },
    ): Promise<MessageSearchHit[]> {
      const { tenantId, identityId } = viewer;
      const { q, senderId, threadId, limit, among = searched } = wanted;
      const inThread = threadId === undefined ? {} : { threadId };
      const newest = { sort: { createdAt: -1 }, limit: among } as const;
      const [received, sent] = await Promise.all([
        entries(tenantId)
          .find({ identityId, ...there, ...inThread }, { ...newest, projection: { messageId: 1 } })
          .toArray(),
        messages(tenantId)
          .find({ ...sentBy(viewer), ...inThread }, { ...newest, projection: { _id: 1 } })
          .toArray(),
      ]);
      const ids = [...new Set([...received.map((one) => one.messageId), ...sent.map((one) => one._id)])];
      const words = q.toLowerCase().split(/\s+/).slice(0, 10);
      const filter = {
        $and: [
          { _id: { $in: ids } },
          ...words.map((word) => ({ content: { $regex: contains(word), $options: 'i' as const } })),
          ...(senderId === undefined ? [] : [{ senderId }]),
        ],
      } as Filter<MessageDoc>;
      const found = await messages(tenantId)
        .find(filter, { sort: { createdAt: -1 }, limit })
        .toArray();
      const dtos = await toDtos(tenantId, found);
      return dtos
        .map((message) => toHit(message, words))
        .sort((a, b) => b.score - a.score || b.message.id - a.message.id);
    },
  };
}

function toHit(message: MessageDto, words: readonly string[]): MessageSearchHit {
  const text = message.content.toLowerCase();
  const found = words.reduce((sum, word) => sum + word.length * (text.split(word).length - 1), 0);
  const at = Math.max(0, text.indexOf(words[0] ?? '') - snippetLength / 4);
  const snippet = message.content.slice(at, at + snippetLength);
  return {
    message,
    score: Math.min(1, found / Math.max(1, text.length)),
    matchedBy: text === words.join(' ') ? 'Exact' : 'Keyword',
    snippet: `${at > 0 ? '… ' : ''}${snippet}${at + snippetLength < message.content.length ? ' …' : ''}`,
  };
}
