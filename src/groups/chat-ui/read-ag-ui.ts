// Reads what is asked out of AG-UI's RunAgentInput: its clients send the whole thread each time, and we have it already.
import { Fault } from '../../kernel/fault.ts';
import type { ChatAttachmentInput } from '../chat/dto.ts';
import type { MessageDraft } from '../chat/messages.ts';
import { type Answers, type Asked, asText, fileOf, joined, nothingAsked, ourId, questionOf, toolOf } from './asked.ts';
import type { AgUiBody } from './contract.ts';

type AgUiMessage = AgUiBody['messages'][number];

/** @throws Fault VALIDATION_FAILED where nothing is asked, UNSUPPORTED_MEDIA_TYPE for parts that no model reads */
export function readAgUi({ messages, tools, context, state, resume }: AgUiBody): Asked {
  const isInstruction = ({ role }: AgUiMessage) => role === 'system' || role === 'developer';
  const spoken = messages.filter((one) => !isInstruction(one));
  const common = {
    system: joined([...messages.filter(isInstruction).map(textOf), contextText(context), stateText(state)]),
    tools: (tools ?? []).map(toolOf),
  };
  const answers = answersOf(spoken, resume);
  if (answers) return { ...common, question: null, answers, history: [] };
  const at = spoken.findLastIndex(({ role }) => role === 'user');
  const last = spoken[at];
  if (!last) throw nothingAsked();
  const question = questionOf({ id: last.id, text: textOf(last), files: filesOf(last) }, spoken[at - 1]?.id ?? null);
  return { ...common, question, answers: null, history: drafts(spoken.slice(0, at)) };
}

interface ContentPart {
  type?: unknown;
  text?: unknown;
  source?: { type?: unknown; value?: unknown; mimeType?: unknown };
  mimeType?: unknown;
  data?: unknown;
  url?: unknown;
  filename?: unknown;
}

const partsOf = ({ content }: AgUiMessage): ContentPart[] => (Array.isArray(content) ? (content as ContentPart[]) : []);

const textOf = (message: AgUiMessage): string =>
  typeof message.content === 'string'
    ? message.content
    : partsOf(message)
        .map((part) => (part.type === 'text' ? String(part.text ?? '') : ''))
        .join('');

const filesOf = (message: AgUiMessage): ChatAttachmentInput[] =>
  partsOf(message)
    .filter(({ type }) => type !== 'text')
    .map(toFile);

/** `image`, `document` and the like with a source; `binary`, as the protocol had it before. */
function toFile({ type, source, mimeType, data, url, filename }: ContentPart): ChatAttachmentInput {
  const media = source?.mimeType ?? mimeType ?? (type === 'image' ? 'image/png' : 'application/octet-stream');
  const bytes = source?.type === 'data' ? source.value : data;
  const address = source?.type === 'url' ? source.value : url;
  const where = typeof bytes === 'string' ? `data:${media};base64,${bytes}` : address;
  if (typeof where !== 'string')
    throw new Fault('VALIDATION_FAILED', `A part of type ${String(type).slice(0, 40)} cannot be read.`, {
      field: 'messages',
      hint: 'Send text, or a source of type data or url.',
    });
  return fileOf({ url: where, mediaType: String(media), ...(typeof filename === 'string' && { name: filename }) });
}

function contextText(context: AgUiBody['context']): string | null {
  if (!context?.length) return null;
  return `Context from the application:\n${context.map(({ description, value }) => `- ${description}: ${value}`).join('\n')}`;
}

function stateText(state: unknown): string | null {
  if (state == null || (typeof state === 'object' && Object.keys(state).length === 0)) return null;
  return `State of the application, as JSON:\n${JSON.stringify(state)}`;
}

function answersOf(spoken: AgUiMessage[], resume: AgUiBody['resume']): Answers | null {
  const approvals = (resume ?? []).flatMap(({ interruptId, status, payload }) => {
    const escalationId = ourId(interruptId);
    return escalationId === null ? [] : [{ escalationId, ...decisionOf(status, payload) }];
  });
  const since = spoken.findLastIndex(({ role }) => role !== 'tool') + 1;
  const results = spoken.slice(since).flatMap((message) => {
    const { toolCallId, error } = message;
    if (!toolCallId) return [];
    return [{ toolCallId, content: error ?? textOf(message), isError: error != null }];
  });
  return approvals.length + results.length > 0 ? { approvals, results } : null;
}

function decisionOf(status: string, payload: unknown) {
  const { approved, reason } = (typeof payload === 'object' && payload !== null ? payload : { approved: payload }) as {
    approved?: unknown;
    reason?: unknown;
  };
  return { approved: status === 'resolved' && approved === true, reason: typeof reason === 'string' ? reason : null };
}

/** Messages of a thread that was not held here; results of tools belong to the calls before them. */
function drafts(messages: AgUiMessage[]): MessageDraft[] {
  const results = new Map(messages.map((message) => [message.toolCallId, message]));
  return messages.flatMap((message): MessageDraft[] => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    if (message.role === 'user') return [{ role: 'user', content: textOf(message) }];
    const toolCalls = (message.toolCalls ?? []).flatMap(({ id, function: { name, arguments: argumentsJson } }) => {
      const result = results.get(id);
      if (!result) return [];
      const status = result.error == null ? ('Succeeded' as const) : ('Failed' as const);
      return [{ id, name, argumentsJson, resultJson: JSON.stringify(asText(result.error ?? result.content)), status }];
    });
    return [{ role: 'assistant', content: textOf(message), toolCalls }];
  });
}
