// Reads, adds and changes messages without asking a model.

import type { ChatSink, ChatStore } from '../../../runtime/chat/ports.ts';
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import { blank, busy } from '../../../runtime/chat/start.ts';
import type { Handlers } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { contains, type Filter } from '../../ports/db.ts';
import { pageOf } from '../../ports/page-of.ts';
import { sortOf } from '../../ports/sort-of.ts';
import { given } from '../fields.ts';
import type { Access } from './access.ts';
import { toFile } from './attachments.ts';
import type { chat } from './contract.ts';
import { type ChatDocuments, type ChatMessageDoc, messageRecord, sessionRecord } from './documents.ts';
import { docToMessageDto, toMessageDto } from './to-dto.ts';

export interface MessagesDeps extends Pick<ChatDocuments, 'messages'> {
  store: ChatStore;
  access: Access;
  sink: ChatSink;
  clock: Clock;
}

type MessageHandlers = Pick<Handlers<typeof chat>, 'messages' | 'addMessage' | 'patchMessage' | 'attachment'>;
/** A message as a client writes it. */
export type MessageDraft = Parameters<MessageHandlers['addMessage']>[0]['body'];

export function messageHandlers(deps: MessagesDeps): MessageHandlers {
  const { messages, store, access, sink } = deps;
  return {
    messages: async ({ caller, params, query }) => {
      await access.session(caller, params.sessionId);
      const { role, q, afterMessageId: after, beforeMessageId: before } = query;
      const filter = {
        sessionId: params.sessionId,
        ...(role === undefined ? {} : { role }),
        ...(q === undefined ? {} : { content: { $regex: contains(q), $options: 'i' } }),
        ...(after === undefined && before === undefined
          ? {}
          : {
              _id: { ...(after === undefined ? {} : { $gt: after }), ...(before === undefined ? {} : { $lt: before }) },
            }),
      } as Filter<ChatMessageDoc>;
      const sort = sortOf<ChatMessageDoc>(query.sort ?? 'id');
      const { items, totalCount } = await pageOf(messages(caller.tenantId), { ...query, filter, sort });
      return toPage(items.map(docToMessageDto), totalCount, query);
    },
    addMessage: async ({ caller, params, body }) => {
      const session = sessionRecord(await access.session(caller, params.sessionId));
      if (session.generation) throw busy(session);
      return toMessageDto((await appendMessage(deps, session, body)).message);
    },
    patchMessage: async ({ caller, params, body }) => {
      const { message } = await access.message(caller, params.messageId);
      if (message.state === 'Streaming')
        throw new Fault('CONFLICT', 'This message is being written.', {
          hint: `Stop it first with POST /api/chat/sessions/${message.sessionId}/stop.`,
        });
      const { content, reasoningContent, hidden } = body;
      const set: Partial<MessageRecord> = {
        ...given({ content, hidden }),
        ...(reasoningContent === undefined ? {} : { reasoning: reasoningContent }),
        ...(content != null && message.role === 'assistant' ? { steps: [plainStep(content)] } : {}),
      };
      if (Object.keys(set).length > 0) await store.patch(caller.tenantId, message._id, set);
      const changed: ChatMessageDoc = { ...message, ...set };
      await sink.message(messageRecord(changed));
      return docToMessageDto(changed);
    },
    attachment: async ({ caller, params }) => {
      const { message } = await access.message(caller, params.messageId);
      const attachment = message.attachments[params.index];
      const file = attachment && toFile(attachment);
      if (file) return file;
      throw new Fault('NOT_FOUND', `Message ${message._id} has no file ${params.index}.`, {
        hint: attachment ? 'Only an address came with it: see its url.' : 'Its attachments are numbered from 0.',
      });
    },
  };
}

/** Adds a message to the end of the branch that is shown. */
export async function appendMessage(
  deps: Pick<MessagesDeps, 'store' | 'sink' | 'clock'>,
  session: SessionRecord,
  draft: MessageDraft,
): Promise<{ session: SessionRecord; message: MessageRecord }> {
  const { store, sink } = deps;
  const message = await written(deps, session, draft);
  await store.insert(message);
  const isCounted = session.activeMessageId === message.id;
  const changed =
    !isCounted &&
    (await store.change(session.tenantId, session.id, {
      set: { activeMessageId: message.id },
      add: { messages: 1, tokens: message.usage.promptTokens + message.usage.completionTokens },
    }));
  await sink.message(message);
  await sink.session(changed || session);
  return { session: changed || session, message };
}

const plainStep = (text: string) => ({ text, reasoning: '', toolCalls: [], providerState: null });

async function written(
  deps: Pick<MessagesDeps, 'store' | 'clock'>,
  session: SessionRecord,
  body: MessageDraft,
): Promise<MessageRecord> {
  const toolCalls = (body.toolCalls ?? []).map(({ asks: _, ...call }) => ({
    ...call,
    resultJson: call.resultJson ?? null,
    durationMs: call.durationMs ?? null,
    escalationId: call.escalationId ?? null,
  }));
  return {
    ...(await blank(deps, session, session.activeMessageId)),
    role: body.role,
    content: body.content,
    reasoning: body.reasoningContent ?? null,
    modelId: body.modelId ?? null,
    steps: body.role === 'assistant' ? [{ ...plainStep(body.content), toolCalls }] : [],
    usage: {
      promptTokens: body.promptTokens ?? 0,
      completionTokens: body.completionTokens ?? 0,
      cacheReadTokens: 0,
      costUsd: 0,
    },
    responseTimeMs: body.responseTimeMs ?? 0,
    toolCallId: body.toolCallId ?? null,
    toolName: body.toolName ?? null,
  };
}
