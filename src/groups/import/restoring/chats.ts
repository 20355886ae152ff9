// Restores chats with their trees of messages. A chat is there once all of its messages are.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChatToolCall, MessageState } from '../../../../runtime/chat/records.ts';
import { deleteInBatches } from '../../../ports/retention.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import {
  type ChatMessageDoc,
  type ChatSessionDoc,
  chatMessageSpec,
  chatSessionSpec,
  type Feedback,
} from '../../chat/documents.ts';
import { filedAs } from '../../chat/filing.ts';
import { SessionHead, SessionMessage } from '../../export/portable.ts';
import type { ConversationDoc, MessagesDoc } from '../record.ts';
import { insertOnce, type Restoring, type RestoringDeps } from './restoring.ts';
import { isOther } from './wholes.ts';

const Head = z.object(SessionHead.shape);
const Message = z.object(SessionMessage.shape);
type Message = z.output<typeof Message>;

/** Messages that are written at once. */
const atOnce = 200;

export function createRestoringChats({ db, ids, sets }: RestoringDeps) {
  const sessions = perTenant(db.collection(chatSessionSpec));
  const messages = perTenant(db.collection(chatMessageSpec));

  /** Writes the messages, and says which id each has. */
  const write = async (r: Restoring, conversation: ConversationDoc, sessionId: number) => {
    const { tenantId } = r.by;
    await deleteInBatches(messages(tenantId), { sessionId });
    const made = new Map<string, number>();
    let waiting: ChatMessageDoc[] = [];
    const flush = async () => {
      if (waiting.length > 0) await messages(tenantId).insertMany(waiting);
      waiting = [];
    };
    for await (const one of sets.messagesOf(tenantId, conversation._id)) {
      r.held.check();
      const said = saidIn(one);
      const _id = await ids.next(chatMessageSpec.name);
      made.set(said.id, _id);
      const parentId = made.get(said.parentId ?? '') ?? null;
      waiting.push(messageOf(r, said, { _id, sessionId, parentId, feedback: await ratingOf(r, said) }));
      if (waiting.length >= atOnce) await flush();
    }
    await flush();
    return made;
  };

  return {
    /** A conversation of our own format; false for one that says too little, which becomes a memory. */
    async restore(r: Restoring, conversation: ConversationDoc): Promise<boolean> {
      const { data: head } = Head.safeParse(JSON.parse(conversation.session ?? 'null'));
      if (!head) return false;
      const { tenantId } = r.by;
      const madeId = conversation.madeId ?? (await ids.next(chatSessionSpec.name));
      await sets.conversations(tenantId).updateOne({ _id: conversation._id }, { $set: { madeId } });
      if (await sessions(tenantId).findOne({ _id: madeId }, { projection: { _id: 1 } })) return true;
      const made = await write(r, conversation, madeId);
      await insertOnce(sessions(tenantId), sessionOf(r, head, { _id: madeId, title: conversation.title, made }));
      return true;
    },
    async remove(tenantId: number, importId: number): Promise<void> {
      const made = { importId, madeId: { $gt: 0 } } as const;
      for await (const { _id, madeId } of sets.conversations(tenantId).find(made)) {
        await sessions(tenantId).deleteOne({ _id: madeId as number });
        await deleteInBatches(messages(tenantId), { sessionId: madeId as number });
        await sets.conversations(tenantId).updateOne({ _id }, { $set: { madeId: null } });
      }
    },
  };
}

/** A message as our own format has it; what of another one is there is a message, too. */
function saidIn({ id, said, role, content, modelId, sentAt }: MessagesDoc['messages'][number]): Message {
  const { data } = Message.safeParse(JSON.parse(said ?? 'null'));
  if (data) return data;
  return {
    id: `#${id}`,
    parentId: null,
    role: role === 'user' || role === 'system' ? role : 'assistant',
    content,
    modelId,
    reasoning: null,
    state: 'Complete',
    hidden: false,
    summary: null,
    toolCallId: null,
    toolName: null,
    steps: [],
    reasoningEffort: null,
    attachments: [],
    feedback: null,
    usage: { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, costUsd: 0 },
    responseTimeMs: 0,
    truncated: false,
    error: null,
    sentAtUtc: (sentAt ?? new Date()).toISOString(),
  };
}

async function ratingOf(r: Restoring, { feedback }: Message): Promise<Feedback | null> {
  if (!feedback) return null;
  const { pair, ...rest } = feedback;
  return { ...rest, trainingPairId: await r.madeOf(pair) };
}

/** What was under way on the other server is nowhere under way here. */
const stateOf = (state: string): MessageState =>
  (['Complete', 'Stopped', 'Failed'] as const).find((one) => one === state) ?? 'Interrupted';
const ended = ['Succeeded', 'Failed', 'Blocked'] as const;
const callOf = ({ status, ...call }: Message['steps'][number]['toolCalls'][number]): ChatToolCall => ({
  ...call,
  status: ended.find((one) => one === status) ?? 'Failed',
  escalationId: null,
});

function messageOf(
  r: Restoring,
  said: Message,
  where: Pick<ChatMessageDoc, '_id' | 'sessionId' | 'parentId' | 'feedback'>,
): ChatMessageDoc {
  const createdAt = r.past(said.sentAtUtc).getTime();
  return {
    ...where,
    tenantId: r.by.tenantId,
    role: said.role,
    state: stateOf(said.state),
    content: said.content,
    reasoning: said.reasoning,
    reasoningEffort: said.reasoningEffort,
    modelId: said.modelId,
    attachments: said.attachments.map((one) => ({ ...one, memoryId: null, docId: null })),
    steps: said.steps.map((step) => ({ ...step, toolCalls: step.toolCalls.map(callOf), providerState: null })),
    options: {},
    // Figures of what was spent elsewhere: they are shown, and no budget or ledger counts them.
    usage: said.usage,
    responseTimeMs: said.responseTimeMs,
    toolCallId: said.toolCallId,
    toolName: said.toolName,
    error: said.error,
    truncated: said.truncated,
    hidden: said.hidden,
    summary: said.summary,
    index: 0,
    startedAt: createdAt,
    stopRequested: false,
    idempotencyKey: null,
    feedback: where.feedback,
    createdAt,
  };
}

function sessionOf(
  r: Restoring,
  head: z.output<typeof Head>,
  { _id, title, made }: { _id: number; title: string | null; made: ReadonlyMap<string, number> },
): ChatSessionDoc {
  return {
    _id,
    guid: randomUUID(),
    tenantId: r.by.tenantId,
    userId: r.restore.userId,
    ownerIdentityId: head.owns ? r.identityId : r.restore.ownIdentityId,
    identityId: head.answers ? r.identityId : null,
    projectId: r.projectOf(head.project),
    aboutRunId: null,
    title: title !== null && isOther(head.title ?? '', title) ? title : (head.title ?? ''),
    titled: head.title !== null,
    clientId: 'import',
    modelId: head.modelId,
    reasoningEffort: head.reasoningEffort,
    systemPrompt: head.systemPrompt,
    enabledTools: head.enabledTools,
    hydrate: head.hydrate,
    isPinned: head.isPinned,
    archived: head.archived,
    ...filedAs(head),
    activeMessageId: made.get(head.activeMessageId ?? '') ?? null,
    messageCount: made.size,
    totalTokens: head.totalTokens,
    generation: null,
    fence: 0,
    createdAt: r.past(head.createdAtUtc).getTime(),
    updatedAt: r.past(head.updatedAtUtc).getTime(),
    deletedAt: null,
  };
}
