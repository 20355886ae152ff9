// Chats on an embedded store with a puppet for a model, as one or several processes that share the store.
import { z } from 'zod';
import { type Chat, createChat } from '../../../../runtime/chat/chat.ts';
import type { ChatPorts, ChatTool } from '../../../../runtime/chat/ports.ts';
import type { ToolQuestion } from '../../../../runtime/ports.ts';
import { createAuthWorld } from '../../../../test/support/auth-world.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { Publication } from '../../../ports/stream.ts';
import { createPolicies } from '../../../ports/tenant-policy.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { request } from '../../agent/testing/world.ts';
import { profileSpec } from '../../agent/tool-profiles/profiles.ts';
import { trainingPairRecord } from '../../mirror/pairs/record.ts';
import { createAccess } from '../access.ts';
import { createChatBriefings } from '../briefings.ts';
import { chatSpecs, createChatStore } from '../documents.ts';
import type { ChatMessageDto, ChatSessionDto, ChatStreamEventDto } from '../dto.ts';
import { chatService } from '../service.ts';
import { createChatSink } from '../sink.ts';
import { createPuppetModel } from './puppet-model.ts';

const adminKey = 'rvt_chat-world-administrator-key-0123456789';

/** One process: its chat engine and how others see whether it lives. */
export interface ChatNode {
  name: string;
  chat: Chat;
}

export async function createChatWorld() {
  const world = await createAuthWorld([...chatSpecs, trainingPairRecord.spec, profileSpec]);
  const { db, ids, clock, auth } = world;
  const { administrator } = await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const published: Publication[] = [];
  const publisher = { publish: async (event: Publication) => void published.push(structuredClone(event)) };
  const documents = createChatStore({ db, ids, clock });
  const sink = createChatSink({ publisher, log: silentLogger });
  const model = createPuppetModel();
  const identities = perTenant(auth.identities);
  const policy: { value: { safe: string[]; optIn: string[]; blocked: string[]; layers: string[] } | undefined } = {
    value: undefined,
  };
  const plain = createChatBriefings({
    identities,
    policies: createPolicies({ db, clock }),
    profiles: { findByRole: async () => null, findByName: async () => null },
  });
  const briefings: ChatPorts['briefings'] = {
    prepare: async (...about) => ({
      ...(await plain.prepare(...about)),
      ...(policy.value && { policy: policy.value }),
    }),
  };
  const made: { name: string; input: unknown; key: string }[] = [];
  const tool = (name: string, run?: ChatTool['handler']): ChatTool => ({
    name,
    displayName: name,
    description: `Does ${name}.`,
    category: 'test',
    source: 'BuiltIn',
    risk: 'Safe',
    sandboxed: false,
    input: z.strictObject({ n: z.number() }),
    handler: async (input, context) => {
      made.push({ name, input, key: context.idempotencyKey });
      return run ? run(input, context) : JSON.stringify({ done: input });
    },
  });
  const tools: ChatTool[] = [tool('add_one'), tool('send_mail')];
  const asked: { escalationId: number; withdrawn: boolean; asks?: ToolQuestion }[] = [];
  const abandoned: number[] = [];
  let questions = 0;
  const alive = new Set<string>();
  const ports = (name: string): ChatPorts => ({
    store: documents.store,
    sink,
    model,
    usageOf: async () => ({ promptTokens: 7, completionTokens: 3, cacheReadTokens: 0, costUsd: 0 }),
    tools: async () => tools,
    briefings,
    approvals: {
      nextId: async () => ++questions,
      ask: async ({ escalationId, asks }) => void asked.push({ escalationId, withdrawn: false, ...(asks && { asks }) }),
      withdraw: async (id) => {
        const found = asked.find(({ escalationId }) => escalationId === id);
        if (found) found.withdrawn = true;
      },
    },
    abandon: async ({ id }) => void abandoned.push(id),
    nodes: { own: () => name, hold: async () => name, alive: async () => [...alive] },
    clock,
    log: silentLogger,
  });
  const node = (name: string, change: (ports: ChatPorts) => ChatPorts = (same) => same): ChatNode => {
    alive.add(name);
    return { name, chat: createChat(change(ports(name))) };
  };
  const first = node('one');
  let isClosed = false;
  const handlers = chatService({
    ...documents,
    db,
    ids,
    clock,
    publisher,
    access: createAccess(documents),
    chat: first.chat,
    sink,
    tools: async () => tools,
    briefings,
    follow: () => {
      throw new Error('no stream here');
    },
    acting: world.acting,
  }).handlers;
  const noQuery = { query: undefined, request, caller };
  const tenantId = caller.tenantId;
  return {
    ...world,
    ...documents,
    caller,
    administrator,
    tenantId,
    published,
    model,
    tools,
    tool,
    made,
    asked,
    /** Sessions whose lost replies may have had something going elsewhere. */
    abandoned,
    policy,
    alive,
    node,
    first,
    handlers,
    noQuery,
    create: (body = {}): Promise<ChatSessionDto> =>
      handlers.create({ ...noQuery, params: {}, body: { title: 'Test', ...body } }) as Promise<ChatSessionDto>,
    start: (sessionId: number, message: string | null, more: object = {}, at: Chat = first.chat) =>
      at.start({ tenantId, sessionId, message, ...more }),
    session: (sessionId: number) =>
      handlers.get({ ...noQuery, params: { id: sessionId }, query: {}, body: undefined }) as Promise<
        ChatSessionDto & { messages: ChatMessageDto[] }
      >,
    close: () => {
      isClosed = true;
      return world.close();
    },
    /** Resolves when no reply is being made there; replies of the dead never end, so that the close ends the wait. */
    settled: async (at: Chat = first.chat) => {
      while (at.active() > 0 && !isClosed) await new Promise((resolve) => setImmediate(resolve));
    },
    /** Events of a reply so far. */
    events: (messageId: number): ChatStreamEventDto[] =>
      published
        .filter(({ type }) => type === 'chat.stream')
        .map(({ data }) => data as ChatStreamEventDto)
        .filter((event) => event.messageId === messageId),
  };
}
export type ChatWorld = Awaited<ReturnType<typeof createChatWorld>>;
