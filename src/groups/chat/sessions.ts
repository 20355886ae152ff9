// Makes, finds and changes sessions.

import { randomUUID } from 'node:crypto';
import { branchOf } from '../../../runtime/chat/branch.ts';
import type { Chat } from '../../../runtime/chat/chat.ts';
import type { ChatSink } from '../../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../../runtime/chat/records.ts';
import { busy } from '../../../runtime/chat/start.ts';
import { anyModel } from '../../../runtime/model.ts';
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import { contains, type Filter } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import type { Publisher } from '../../ports/stream.ts';
import { defined, given } from '../fields.ts';
import { type Access, ownedBy } from './access.ts';
import type { chat } from './contract.ts';
import { type ChatDocuments, type ChatSessionDoc, messagesInOrder, sessionRecord } from './documents.ts';
import type { ChatSessionDetailDto } from './dto.ts';
import { hasTag, tagText } from './filing.ts';
import { sessionTopics } from './sink.ts';
import { docToMessageDto, toSessionDto } from './to-dto.ts';

export interface SessionsDeps extends Pick<ChatDocuments, 'sessions' | 'messages'> {
  access: Access;
  chat: Pick<Chat, 'stop'>;
  sink: ChatSink;
  publisher: Publisher;
  ids: Ids;
  clock: Clock;
  acting: Acting;
}

const defaultMessages = 200;
/** Sessions whose messages are searched. */
const searchedSessions = 2000;
const oneBranch = { _id: 1, parentId: 1 } as const;

type SessionHandlers = Pick<Handlers<typeof chat>, 'list' | 'create' | 'get' | 'patch' | 'remove'>;

export function sessionHandlers(deps: SessionsDeps): SessionHandlers {
  const { sessions, access, sink, clock } = deps;
  return {
    list: async ({ caller, query }) => {
      const filter = await filterOf(deps, caller, query);
      const sort = query.sort ? sortOf<ChatSessionDoc>(query.sort) : ({ isPinned: -1, updatedAt: -1 } as const);
      const { items, totalCount } = await pageOf(sessions(caller.tenantId), { ...query, filter, sort });
      return toPage(
        items.map((one) => toSessionDto(sessionRecord(one))),
        totalCount,
        query,
      );
    },
    create: async ({ caller, body }) => {
      if (body.identityId != null) await deps.acting.require(caller, body.identityId);
      const { tags, ...settings } = body;
      const session: SessionRecord = {
        ...newSession(caller, await deps.ids.next('chat_sessions'), clock.now()),
        ...given({ ...settings, folder: settings.folder || null }),
        tagText: tagText(tags ?? []),
        titled: Boolean(body.title),
      };
      const added = await add(deps, session);
      noteWrite(caller, { kind: 'chat session', how: 'created', doc: { _id: session.id, ...session }, before: null });
      return added;
    },
    get: async ({ caller, params, query }) =>
      detailOf(deps, await access.session(caller, params.id), query.messageLimit, query.beforeMessageId),
    patch: async ({ caller, params, body }) => {
      const old = await access.session(caller, params.id);
      if (body.identityId != null) await deps.acting.require(caller, body.identityId);
      const { title, modelId, isPinned, archived, hydrate, folder, tags, ...rest } = body;
      if (rest.activeMessageId !== undefined) await requireMessage(deps, old, rest.activeMessageId);
      const set = {
        ...defined(rest),
        ...given({ isPinned, archived, hydrate }),
        ...(title === undefined ? {} : { title: title ?? '', titled: Boolean(title) }),
        ...(modelId === undefined ? {} : { modelId: modelId ?? anyModel }),
        ...(folder === undefined ? {} : { folder: folder || null }),
        ...(tags === undefined ? {} : { tagText: tagText(tags ?? []) }),
        ...(isFiling(body) ? {} : { updatedAt: clock.now() }),
      };
      const changed = await sessions(caller.tenantId).findOneAndUpdate(
        // A reply that is being made decides which branch is shown.
        { _id: params.id, deletedAt: null, ...(rest.activeMessageId === undefined ? {} : { generation: null }) },
        { $set: set },
        { returnDocument: 'after' },
      );
      const session = sessionRecord(changed ?? (await access.session(caller, params.id)));
      if (!changed) throw busy(session);
      noteWrite(caller, { kind: 'chat session', how: 'changed', doc: changed, before: old });
      await sink.session(session);
      return toSessionDto(session);
    },
    remove: async ({ caller, params }) => {
      const session = sessionRecord(await access.session(caller, params.id));
      if (session.generation) await deps.chat.stop(caller.tenantId, session.id).catch(() => undefined);
      const now = clock.now();
      await sessions(caller.tenantId).updateOne({ _id: session.id }, { $set: { deletedAt: now } });
      const removed = { _id: session.id, ...session };
      noteWrite(caller, { kind: 'chat session', how: 'removed', doc: removed, before: removed });
      await deps.publisher.publish({
        tenantId: caller.tenantId,
        topics: sessionTopics(session),
        type: 'chat.session.deleted',
        data: { kind: 'ChatSession', id: session.id, atUtc: new Date(now).toISOString() },
      });
      return null;
    },
  };
}

/** Whether a change is of folder and tags alone: it tidies up, and leaves the order of lists and the time to live. */
const isFiling = (body: object) => {
  const names = Object.keys(defined(body));
  return names.length > 0 && names.every((name) => name === 'folder' || name === 'tags');
};

/** @throws Fault NOT_FOUND when the session has no such message */
async function requireMessage({ messages }: SessionsDeps, session: ChatSessionDoc, id: number): Promise<void> {
  if (await messages(session.tenantId).findOne({ _id: id, sessionId: session._id })) return;
  throw new Fault('NOT_FOUND', `There is no message ${id} in this session.`, {
    hint: `List them with GET /api/chat/sessions/${session._id}/messages.`,
  });
}

/** A session with nothing in it. */
export function newSession(
  caller: Pick<Caller, 'tenantId' | 'userId' | 'identityId'>,
  id: number,
  now: number,
): SessionRecord {
  return {
    id,
    guid: randomUUID(),
    tenantId: caller.tenantId,
    userId: caller.userId,
    ownerIdentityId: caller.identityId,
    identityId: null,
    projectId: null,
    aboutRunId: null,
    title: '',
    titled: false,
    clientId: 'api',
    modelId: anyModel,
    reasoningEffort: null,
    systemPrompt: null,
    enabledTools: null,
    hydrate: true,
    isPinned: false,
    archived: false,
    folder: null,
    tagText: '',
    activeMessageId: null,
    messageCount: 0,
    totalTokens: 0,
    generation: null,
    fence: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** Stores a new session and tells its owner's lists. */
export async function add({ sessions, sink }: Pick<SessionsDeps, 'sessions' | 'sink'>, session: SessionRecord) {
  const { id, ...rest } = session;
  const document = { _id: id, ...rest, deletedAt: null };
  await sessions(session.tenantId).insertOne(document);
  const stored = sessionRecord(document);
  await sink.session(stored);
  return toSessionDto(stored);
}

/** A session with the newest messages of its branch, or those before one of them. */
export async function detailOf(
  { messages }: Pick<ChatDocuments, 'messages'>,
  session: ChatSessionDoc,
  limit = defaultMessages,
  before?: number,
): Promise<ChatSessionDetailDto> {
  const own = messages(session.tenantId);
  const all = await own.find({ sessionId: session._id }, { projection: oneBranch }).toArray();
  const branch = branchOf(
    all.map(({ _id, parentId }) => ({ id: _id, parentId })),
    session.activeMessageId,
  );
  const earlier = before === undefined ? branch : branch.filter(({ id }) => id < before);
  const ids = limit === 0 ? [] : earlier.slice(-limit).map(({ id }) => id);
  const shown = await messagesInOrder(own, ids);
  return { ...toSessionDto(sessionRecord(session)), messages: shown.map(docToMessageDto) };
}

interface ListFilter {
  q?: string | undefined;
  archived?: boolean | undefined;
  isPinned?: boolean | undefined;
  identityId?: number | undefined;
  projectId?: number | undefined;
  clientId?: string | undefined;
  modelId?: string | undefined;
  folder?: string | undefined;
  tag?: string | undefined;
}

async function filterOf(
  { sessions, messages }: SessionsDeps,
  caller: Caller,
  { q, archived, isPinned, identityId, projectId, clientId, modelId, folder, tag }: ListFilter,
): Promise<Filter<ChatSessionDoc>> {
  const filter: Filter<ChatSessionDoc> = {
    ...ownedBy(caller),
    ...defined({ archived, isPinned, identityId, projectId, clientId, modelId }),
    ...(tag === undefined ? {} : hasTag(tag)),
    ...(folder === undefined ? {} : { folder: folder || null }),
  };
  if (q === undefined) return filter;
  const found = { $regex: contains(q), $options: 'i' } as const;
  const candidates = await sessions(caller.tenantId)
    .find(filter, { projection: { _id: 1 }, sort: { updatedAt: -1 }, limit: searchedSessions })
    .toArray();
  const said = await messages(caller.tenantId)
    .aggregate<{ _id: number }>([
      { $match: { sessionId: { $in: candidates.map(({ _id }) => _id) }, content: found } },
      { $group: { _id: '$sessionId' } },
    ])
    .toArray();
  return {
    $and: [filter, { $or: [{ title: found }, { tagText: found }, { _id: { $in: said.map(({ _id }) => _id) } }] }],
  };
}
