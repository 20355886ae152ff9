// How chats are kept: sessions and messages, a document each.
import type { ChatStore, SessionChange } from '../../../runtime/chat/ports.ts';
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Collection, type Db, defineCollection, type Update } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { onceScope } from '../../ports/once.ts';
import { perTenant } from '../../ports/tenanted.ts';

type Stored<T extends { id: number }> = Omit<T, 'id'> & { _id: number };

export interface ChatSessionDoc extends Stored<SessionRecord> {
  deletedAt: number | null;
}

export interface Feedback {
  rating: 'up' | 'down' | null;
  score: number;
  tags: string[] | null;
  comment: string | null;
  correction: string | null;
  trainingPairId: number | null;
}

export interface ChatMessageDoc extends Stored<MessageRecord> {
  feedback: Feedback | null;
}

export const chatSessionSpec = defineCollection<ChatSessionDoc>({
  name: 'chat_sessions',
  times: 'ms',
  texts: ['title', 'tagText'],
  indexes: [
    { keys: { tenantId: 1, userId: 1, deletedAt: 1, updatedAt: 1 } },
    { keys: { tenantId: 1, ownerIdentityId: 1, deletedAt: 1, updatedAt: 1 } },
    // The order of lists.
    { keys: { tenantId: 1, userId: 1, deletedAt: 1, isPinned: 1, updatedAt: 1 } },
    { keys: { tenantId: 1, ownerIdentityId: 1, deletedAt: 1, isPinned: 1, updatedAt: 1 } },
    { keys: { tenantId: 1, userId: 1, deletedAt: 1 } },
    { keys: { tenantId: 1, ownerIdentityId: 1, deletedAt: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    // Chats of a folder in the order of lists.
    { keys: { tenantId: 1, userId: 1, deletedAt: 1, folder: 1, isPinned: 1, updatedAt: 1 } },
    { keys: { tenantId: 1, ownerIdentityId: 1, deletedAt: 1, folder: 1, isPinned: 1, updatedAt: 1 } },
    // What retention deletes, the oldest first.
    { keys: { updatedAt: 1 }, name: 'unpinned', partialFilterExpression: { isPinned: false } },
    { keys: { tenantId: 1, aboutRunId: 1 }, partialFilterExpression: { aboutRunId: { $gt: 0 } } },
    { keys: { 'generation.owner': 1 }, partialFilterExpression: { 'generation.owner': { $gt: '' } } },
  ],
});

export const chatMessageSpec = defineCollection<ChatMessageDoc>({
  name: 'chat_messages',
  times: 'ms',
  indexes: [
    { keys: { tenantId: 1, sessionId: 1 } },
    {
      keys: { sessionId: 1, idempotencyKey: 1 },
      unique: true,
      partialFilterExpression: { idempotencyKey: { $gt: '' } },
    },
  ],
});

export const chatSpecs = [chatSessionSpec, chatMessageSpec] as const;

export const sessionRecord = ({ _id, deletedAt: _, ...rest }: ChatSessionDoc): SessionRecord => ({ id: _id, ...rest });
export const messageRecord = ({ _id, feedback: _, ...rest }: ChatMessageDoc): MessageRecord => ({ id: _id, ...rest });

/** Messages with these ids, in their order; those that are not there are left out. */
export async function messagesInOrder(
  messages: Pick<Collection<ChatMessageDoc>, 'find'>,
  ids: readonly number[],
): Promise<ChatMessageDoc[]> {
  const found = await messages.find({ _id: { $in: [...ids] } }).toArray();
  const byId = new Map(found.map((doc) => [doc._id, doc]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Sessions and messages as the chat engine keeps them, with the collections for what only people look at. */
export function createChatStore({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }) {
  const everySession = db.collection(chatSessionSpec);
  const sessions = perTenant(everySession);
  const messages = perTenant(db.collection(chatMessageSpec));
  const after = { returnDocument: 'after' } as const;
  const session = (doc: ChatSessionDoc | null) => doc && sessionRecord(doc);
  const message = (doc: ChatMessageDoc | null) => doc && messageRecord(doc);

  const store: ChatStore = {
    nextMessageId: (above) => ids.next('chat_messages', above),
    session: async (tenantId, id) => session(await sessions(tenantId).findOne({ _id: id, deletedAt: null })),
    message: async (tenantId, id) => message(await messages(tenantId).findOne({ _id: id })),
    messages: async (tenantId, sessionId) =>
      (
        await messages(tenantId)
          .find({ sessionId }, { sort: { _id: 1 } })
          .toArray()
      ).map(messageRecord),
    replyByKey: async (tenantId, sessionId, idempotencyKey) =>
      message(await messages(tenantId).findOne({ sessionId, idempotencyKey })),
    insert: async (record) => {
      const { id, ...rest } = record;
      const document = { ...rest, _id: id, feedback: null };
      await messages(rest.tenantId).insertOne(document);
      // A repeated request goes on with what it wrote before.
      if (onceScope()) Object.assign(record, messageRecord(document));
    },
    write: async ({ id, tenantId, startedAt }, set) =>
      message(
        await messages(tenantId).findOneAndUpdate(
          { _id: id, state: 'Streaming', startedAt },
          { $set: fields(set) },
          after,
        ),
      ),
    patch: async (tenantId, id, set) =>
      message(await messages(tenantId).findOneAndUpdate({ _id: id }, { $set: fields(set) }, after)),
    async claim(tenantId, id, generation) {
      const now = await sessions(tenantId).findOne({ _id: id, deletedAt: null, generation: null });
      if (!now) return null;
      const fence = now.fence + 1;
      const held = await sessions(tenantId).findOneAndUpdate(
        { _id: id, deletedAt: null, generation: null, fence: now.fence },
        { $set: { generation: { ...generation, fence }, fence } },
        after,
      );
      return session(held);
    },
    async transfer({ tenantId, id, generation }, owner) {
      if (!generation) return null;
      const fence = generation.fence + 1;
      const given = await sessions(tenantId).findOneAndUpdate(
        { _id: id, 'generation.fence': generation.fence },
        { $set: { generation: { ...generation, owner, fence }, fence } },
        after,
      );
      return session(given);
    },
    release: async ({ tenantId, id, generation }, change) => {
      const { $set, ...more } = toUpdate(change, clock.now());
      const freed = await sessions(tenantId).findOneAndUpdate(
        { _id: id, 'generation.fence': generation?.fence ?? 0 },
        { $set: { ...$set, generation: null }, ...more },
        after,
      );
      return session(freed);
    },
    change: async (tenantId, id, change) =>
      session(await sessions(tenantId).findOneAndUpdate({ _id: id }, toUpdate(change, clock.now()), after)),
    held: async () => (await everySession.find({ 'generation.owner': { $gt: '' } }).toArray()).map(sessionRecord),
  };
  return { store, sessions, messages };
}
export type ChatDocuments = ReturnType<typeof createChatStore>;

function toUpdate({ set, add }: SessionChange, now: number): Update<ChatSessionDoc> {
  const counters = {
    ...(add?.messages && { messageCount: add.messages }),
    ...(add?.tokens && { totalTokens: add.tokens }),
  };
  return {
    $set: { ...set, updatedAt: now },
    ...(Object.keys(counters).length > 0 && { $inc: counters }),
  };
}

/** Ids do not change. */
function fields({ id: _, ...set }: Partial<MessageRecord>): Partial<Omit<ChatMessageDoc, '_id'>> {
  return set;
}
