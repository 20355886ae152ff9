// Planning of a reply: which message is asked, which one holds the answer, and whether it may begin.
import { Fault } from '../../src/kernel/fault.ts';
import { branchOf } from './branch.ts';
import type { ChatPorts } from './ports.ts';
import type { ChatAttachment, MessageRecord, ReplyOptions, SessionRecord } from './records.ts';
import { firstWords } from './titles.ts';

export interface ReplyRequest extends ReplyOptions {
  tenantId: number;
  sessionId: number;
  /** Text of the question. Null continues the reply `parentMessageId`, or answers that message when it is no reply. */
  message: string | null;
  attachments?: ChatAttachment[];
  /** Id of the parent message; undefined for the last one of the shown branch, null for the first of a new branch. */
  parentMessageId?: number | null;
  /** Id of a reply to generate again, as a branch beside it. */
  regenerateMessageId?: number;
  /** Requests with the same key in the same session give the same reply. */
  idempotencyKey?: string;
  /** Digest of the request that the key came with; without one, the text alone tells it from another. */
  askedDigest?: string;
}

/** Messages to store before a generation begins. */
export interface Plan {
  /** The new question; null when it is stored already. */
  question: MessageRecord | null;
  reply: MessageRecord;
  /** True when the reply is stored already and continues. */
  continues: boolean;
}

/** Plan of a request for a session. @throws Fault NOT_FOUND, VALIDATION_FAILED, CONFLICT */
export async function plan(ports: ChatPorts, session: SessionRecord, request: ReplyRequest): Promise<Plan> {
  const options = optionsOf(request);
  const follow = await followed(ports, session, request);
  if (request.message === null && follow?.role === 'assistant' && request.regenerateMessageId === undefined) {
    if (follow.state === 'Complete' && !follow.truncated) throw nothingToSay(follow);
    return { question: null, reply: { ...follow, options: { ...follow.options, ...options } }, continues: true };
  }
  if (request.message === null) {
    if (!follow) throw nothingAsked();
    return { question: null, reply: await newReply(ports, session, follow.id, options, request), continues: false };
  }
  const question: MessageRecord = {
    ...(await blank(ports, session, follow?.id ?? null)),
    role: 'user',
    content: request.message,
    attachments: request.attachments ?? [],
  };
  return { question, reply: await newReply(ports, session, question.id, options, request), continues: false };
}

/** The parent of the question or the reply. */
async function followed(
  ports: ChatPorts,
  session: SessionRecord,
  request: ReplyRequest,
): Promise<MessageRecord | null> {
  const find = async (id: number) => {
    const found = await ports.store.message(session.tenantId, id);
    if (found?.sessionId === session.id) return found;
    throw new Fault('NOT_FOUND', `There is no message ${id} in this session.`, {
      hint: `List them with GET /api/chat/sessions/${session.id}/messages.`,
    });
  };
  const { regenerateMessageId, parentMessageId } = request;
  if (regenerateMessageId === undefined) {
    const id = parentMessageId === undefined ? session.activeMessageId : parentMessageId;
    return id === null ? null : find(id);
  }
  const again = await find(regenerateMessageId);
  if (again.role === 'assistant' && again.parentId !== null && request.message === null) return find(again.parentId);
  throw new Fault('VALIDATION_FAILED', 'Only a reply to a message can be made again, without a new message.', {
    hint: 'Name a message with role assistant in regenerateMessageId, and leave message out.',
  });
}

async function newReply(
  ports: ChatPorts,
  session: SessionRecord,
  parentId: number,
  options: ReplyOptions,
  { idempotencyKey, askedDigest }: ReplyRequest,
): Promise<MessageRecord> {
  return {
    ...(await blank(ports, session, parentId)),
    role: 'assistant',
    reasoningEffort: options.reasoningEffort ?? session.reasoningEffort,
    options,
    idempotencyKey: idempotencyKey ?? null,
    ...(askedDigest !== undefined && { askedDigest }),
  };
}

/** A new message without content. */
export async function blank(
  ports: Pick<ChatPorts, 'store' | 'clock'>,
  session: SessionRecord,
  parentId: number | null,
) {
  const now = ports.clock.now();
  return {
    // Whatever node makes it, a message has a larger id than those before it.
    id: await ports.store.nextMessageId(Math.max(parentId ?? 0, session.activeMessageId ?? 0)),
    tenantId: session.tenantId,
    sessionId: session.id,
    parentId,
    role: 'user',
    state: 'Complete',
    content: '',
    reasoning: null,
    reasoningEffort: null,
    modelId: null,
    attachments: [],
    steps: [],
    options: {},
    usage: { promptTokens: 0, completionTokens: 0, cacheReadTokens: 0, costUsd: 0 },
    responseTimeMs: 0,
    toolCallId: null,
    toolName: null,
    error: null,
    truncated: false,
    hidden: false,
    summary: null,
    index: -1,
    startedAt: now,
    stopRequested: false,
    idempotencyKey: null,
    createdAt: now,
  } satisfies MessageRecord as MessageRecord;
}

function optionsOf(request: ReplyRequest): ReplyOptions {
  const { modelId, reasoningEffort, systemPrompt, enabledTools, temperature, maxOutputTokens, clientToolsJson } =
    request;
  return {
    ...(modelId !== undefined && { modelId }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(enabledTools !== undefined && { enabledTools }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(clientToolsJson !== undefined && { clientToolsJson }),
  };
}

/** Title of a session: its own, or the first words of its first question. */
export const titleOf = (session: SessionRecord, question: MessageRecord | null) =>
  session.title === '' && question ? { title: firstWords(question.content) } : {};

/** Text of the question that a reply answers, for the title. */
export async function questionOf(ports: ChatPorts, reply: MessageRecord): Promise<string> {
  const all = await ports.store.messages(reply.tenantId, reply.sessionId);
  return branchOf(all, reply.parentId).findLast(({ role }) => role === 'user')?.content ?? '';
}

export const busy = (session: SessionRecord) =>
  new Fault('CONFLICT', 'A reply of this session is being made.', {
    hint: `Follow it with GET /api/chat/sessions/${session.id}/stream, or stop it with POST /api/chat/sessions/${session.id}/stop.`,
  });

const nothingToSay = ({ id }: MessageRecord) =>
  new Fault('VALIDATION_FAILED', 'That reply is complete: there is nothing to continue.', {
    hint: `Send a message, or make the reply again with regenerateMessageId ${id}.`,
  });

const nothingAsked = () =>
  new Fault('VALIDATION_FAILED', 'There is nothing to answer in this session.', { hint: 'Send a message.' });
