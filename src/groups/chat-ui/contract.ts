// Chats for front-end kits, as those kits ask: the AI SDK's useChat, and AG-UI clients.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { fields, int64, jsonObject, string } from '../../contract/types.ts';

const id = string.min(1).max(200);
const part = z.looseObject({ type: z.string() });
/** A message of the AI SDK; what it means is read by its parts. */
const uiMessage = z.looseObject({ id, role: z.enum(['system', 'user', 'assistant']), parts: z.array(part).max(5_000) });
/** A message of AG-UI. */
const agUiMessage = z.looseObject({
  id,
  role: z.string().max(20),
  content: z.unknown().optional(),
  toolCalls: z
    .array(z.looseObject({ id, function: z.looseObject({ name: string, arguments: string }) }))
    .max(200)
    .nullish(),
  toolCallId: id.nullish(),
  error: string.nullish(),
});
/** A tool that the front end has: `parameters` as AG-UI and assistant-ui call its schema, `inputSchema` as the AI SDK does. */
const clientTool = z.looseObject({
  description: string.max(4000).nullish(),
  parameters: jsonObject.nullish(),
  inputSchema: jsonObject.nullish(),
});
const toolName = string.regex(/^[\w-]{1,64}$/, 'must be letters, digits, _ and -');
const namedTool = clientTool.extend({ name: toolName });

/** Images come with the message, and old messages with new ones. */
const messageBytes = 24 << 20;

/** What the AI SDK's DefaultChatTransport posts, and what may be put into its `body`; other fields are the front end's own. */
const UiBody = z.looseObject({
  /** The session's id, or any name that the client gives to a chat of its own. */
  id,
  messages: z.array(uiMessage).min(1).max(5_000),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: id.nullish(),
  /** Instructions, besides those of messages with role system. */
  system: string.max(200_000).nullish(),
  tools: z.union([z.array(namedTool).max(200), z.record(toolName, clientTool)]).nullish(),
  modelId: string.trim().min(1).max(200).nullish(),
  identityId: int64.nullish(),
});
export type UiBody = z.output<typeof UiBody>;

/** AG-UI's RunAgentInput, as far as it is read. */
const AgUiBody = z.looseObject({
  /** The session's id, or any name that the client gives to a thread of its own. */
  threadId: id,
  runId: id,
  messages: z.array(agUiMessage).max(5_000),
  tools: z.array(namedTool).max(200).nullish(),
  context: z
    .array(z.looseObject({ description: string, value: string }))
    .max(200)
    .nullish(),
  state: z.unknown().optional(),
  resume: z
    .array(
      z.looseObject({ interruptId: id, status: z.enum(['resolved', 'cancelled']), payload: z.unknown().optional() }),
    )
    .max(200)
    .nullish(),
});
export type AgUiBody = z.output<typeof AgUiBody>;

export const chatUi = group(
  'ChatSession',
  { id: 'ChatUi', base: '/api/chat', doc: "Chats for front-end kits: the AI SDK's useChat, and AG-UI clients." },
  {
    send: op.post('/ui', {
      doc: "Send a message as the AI SDK's useChat does and stream the reply; the first one begins a session.",
      needs: 'ChatWrite',
      reply: 'stream',
      idempotent: false,
      maxBodyBytes: messageBytes,
      query: fields({ sdk: z.enum(['5', '6']).optional() }),
      body: UiBody,
      data: z.unknown(),
    }),
    resume: op.get('/ui/{key}/stream', {
      doc: 'Follow the reply that is being made, from its beginning, as useChat does after a reload; 204 when there is none.',
      needs: 'ChatRead',
      reply: 'file',
      streams: true,
      mediaType: 'text/event-stream',
      query: fields({ sdk: z.enum(['5', '6']).optional() }),
      data: z.unknown(),
    }),
    agUi: op.post('/ag-ui', {
      doc: 'Send a message as AG-UI clients do and stream the reply; the first one of a thread begins a session.',
      needs: 'ChatWrite',
      reply: 'stream',
      idempotent: false,
      maxBodyBytes: messageBytes,
      body: AgUiBody,
      data: z.unknown(),
    }),
  },
);
