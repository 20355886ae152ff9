// What was read of an archive, on its way into the store: some conversations with each write.

import type { Parsed, ParsedConversation, ParsedItem, ParsedLink, ParsedMessage, Whole } from '../../imports/shapes.ts';
import { transcript } from '../../imports/transcript.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { deleteInBatches } from '../../ports/retention.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { memoryDigest } from '../memories/change.ts';
import {
  type ConversationDoc,
  conversationRecord,
  type ImportLinkDoc,
  type ItemDoc,
  importLinkRecord,
  itemRecord,
  type MessagesDoc,
  messagesRecord,
} from './record.ts';
import { shownText } from './staging-text.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
}

/** Characters and messages of one document. */
const chunkLength = 400_000;
const chunkMessages = 200;
/** Documents of messages that are written at once, and what is gathered before all of it is. */
const chunksAtOnce = 20;
const batchLength = 1_500_000;
const batchDocuments = 300;

export interface Staged {
  conversations: number;
  messages: number;
  items: number;
}

export function stagedOf({ db }: Pick<Deps, 'db'>) {
  const conversations = perTenant(db.collection(conversationRecord.spec));
  const messages = perTenant(db.collection(messagesRecord.spec));
  const items = perTenant(db.collection(itemRecord.spec));
  const links = perTenant(db.collection(importLinkRecord.spec));
  return {
    conversations,
    messages,
    items,
    links,
    /** Removes what was read from a file of the archive on; of the whole of it unless one is named. */
    async clear(tenantId: number, importId: number, entry = 0): Promise<void> {
      const of = { importId, entry: { $gte: entry } };
      await deleteInBatches(messages(tenantId), of);
      await deleteInBatches(conversations(tenantId), of);
      await deleteInBatches(items(tenantId), of);
      await deleteInBatches(links(tenantId), of);
    },
    /** The messages of a conversation in order, read some at a time. */
    async *messagesOf(tenantId: number, conversationId: number): AsyncGenerator<MessagesDoc['messages'][number]> {
      for await (const chunk of messages(tenantId).find({ conversationId }, { sort: { _id: 1 } }))
        yield* chunk.messages;
    },
  };
}
export type StagedSets = ReturnType<typeof stagedOf>;

/** Gathers what was read of one import; `flush` writes it. */
export function createStaging(deps: Deps, { tenantId, importId }: { tenantId: number; importId: number }) {
  const { ids, clock } = deps;
  const sets = stagedOf(deps);
  let conversations: ConversationDoc[] = [];
  let items: ItemDoc[] = [];
  let links: ImportLinkDoc[] = [];
  let length = 0;
  let total: Staged = { conversations: 0, messages: 0, items: 0 };
  const whose = (entry: number) => ({ tenantId, importId, entry, createdAt: new Date(clock.now()) });
  const messages = createMessageWriter(deps, sets.messages(tenantId));

  const addConversation = async (one: ParsedConversation, entry: number, source: string): Promise<void> => {
    const _id = await ids.next(conversationRecord.spec.name);
    await messages.add(one.messages, { ...whose(entry), conversationId: _id });
    const size = one.messages.reduce((sum, { content }) => sum + content.length, 0);
    length += size;
    const doc = { ...whose(entry), _id, ...conversationFields(one, size) };
    const session = one.session && { session: JSON.stringify(one.session) };
    conversations.push({ ...doc, source, digest: await digestOf(one, source), ...session });
  };
  const addItem = async ({ whole, ...one }: ParsedItem, entry: number): Promise<void> => {
    const kept = whole && keptWhole(whole);
    length += one.content.length + (kept?.whole.length ?? 0);
    const doc = { ...whose(entry), ...one, content: shownText(one) };
    items.push({
      ...doc,
      ...kept,
      _id: await ids.next(itemRecord.spec.name),
      approved: true,
      scrubFlags: [],
      sourceConversationId: null,
    });
  };
  const addLink = async ({ kind: _, ...link }: ParsedLink, entry: number): Promise<void> => {
    links.push({ ...whose(entry), ...link, _id: await ids.next(importLinkRecord.spec.name) });
  };

  return {
    /** @param source - the provider, as people say it */
    async add(parsed: Exclude<Parsed, { kind: 'skipped' }>, entry: number, source: string): Promise<void> {
      if (parsed.kind === 'conversation') await addConversation(parsed, entry, source);
      else if (parsed.kind === 'link') await addLink(parsed, entry);
      else await addItem(parsed, entry);
    },
    get isFull(): boolean {
      return length > batchLength || conversations.length + items.length + links.length >= batchDocuments;
    },
    /** Writes what was gathered, and says what was read since the beginning. */
    async flush(): Promise<Staged> {
      await messages.flush();
      if (conversations.length > 0) await sets.conversations(tenantId).insertMany(conversations);
      if (items.length > 0) await sets.items(tenantId).insertMany(items);
      if (links.length > 0) await sets.links(tenantId).insertMany(links);
      total = {
        conversations: total.conversations + conversations.length,
        messages: messages.count,
        items: total.items + items.length,
      };
      [conversations, items, links, length] = [[], [], [], 0];
      return total;
    },
  };
}

/** Writes the messages of conversations; of a long one some while the others wait. */
function createMessageWriter({ ids }: Deps, set: ReturnType<StagedSets['messages']>) {
  let chunks: MessagesDoc[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (chunks.length > 0) await set.insertMany(chunks);
    count += chunks.reduce((sum, { messages }) => sum + messages.length, 0);
    chunks = [];
  };
  return {
    flush,
    /** Of what was written, in all. */
    get count(): number {
      return count;
    },
    async add(all: readonly ParsedMessage[], of: Omit<MessagesDoc, '_id' | 'messages'>): Promise<void> {
      let sortOrder = 0;
      for (const some of chunksOf(all)) {
        const messages = some.map(({ whole, ...message }) => ({
          ...message,
          ...(whole && { said: JSON.stringify(whole) }),
          id: ++sortOrder,
          sortOrder,
          scrubFlags: [],
        }));
        chunks.push({ ...of, _id: await ids.next(messagesRecord.spec.name), messages });
        // Where the process dies now they belong to no conversation, and go with their file's other entries.
        if (chunks.length >= chunksAtOnce) await flush();
      }
    },
  };
}

/** Its id in the document ties others to it. */
const keptWhole = ({ kind, data }: Whole) => ({
  ref: String(data.id),
  wholeKind: kind,
  whole: JSON.stringify(data),
});

const conversationFields = (one: ParsedConversation, size: number) => ({
  sourceId: one.sourceId,
  title: one.title,
  messageCount: one.messages.length,
  tokenEstimate: Math.ceil(size / 4),
  approved: one.wanted,
  scrubFlagCount: 0,
  summary: summaryOf(one.messages),
  startedAt: one.startedAt,
  endedAt: one.endedAt,
  content: null,
  importance: null,
});

/** What was asked first: enough to tell conversations apart. */
const summaryOf = (messages: readonly ParsedMessage[]): string | null =>
  (messages.find(({ role }) => role === 'user') ?? messages[0])?.content.replaceAll(/\s+/g, ' ').slice(0, 200) ?? null;

async function* each<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

async function digestOf({ title, startedAt, messages }: ParsedConversation, source: string): Promise<string> {
  const [memory] = await transcript({ title, startedAt, source }, each(messages), true);
  return memory ? memoryDigest(memory) : '';
}

function* chunksOf(messages: readonly ParsedMessage[]): Generator<ParsedMessage[]> {
  let [chunk, length]: [ParsedMessage[], number] = [[], 0];
  for (const message of messages) {
    if (chunk.length >= chunkMessages || length > chunkLength) {
      yield chunk;
      [chunk, length] = [[], 0];
    }
    chunk.push(message);
    // What our own format says of it besides weighs about as much again, and its files as much as they do.
    length += message.content.length * (message.whole ? 3 : 1) + weightOf(message.whole?.attachments);
  }
  if (chunk.length > 0) yield chunk;
}

const weightOf = (attachments: unknown): number => (attachments ? JSON.stringify(attachments).length : 0);
