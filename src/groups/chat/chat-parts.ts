// A chat reply as one answer: the events of its stream as parts that any format is made of.
import { createCallIds } from '../formats/call-ids.ts';
import { type Part, restOf } from '../formats/parts.ts';
import type { ChatMessageDto, ChatStreamEventDto, ChatToolCallDto } from './dto.ts';
import type { ReplyItem } from './reply-stream.ts';

export interface ReplyReading {
  /** What this answer and its thread are called, where their client has names for them. */
  runId?: string;
  threadId?: string;
  /** Names of the tools that the client has itself. */
  clientTools?: ReadonlySet<string>;
  /** The reply as its client knows it already: only later parts are yielded. */
  known?: Pick<ChatMessageDto, 'content' | 'reasoningContent' | 'toolCalls'>;
}

/**
 * A reader of one reply's events, in order; its last part is one of those that end an answer. What the reply's message
 * says as a whole wins: a part of it that no delta brought is yielded then.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one stream is read from start to end, and its events share what came before.
export function chatParts({ runId, threadId, clientTools, known }: ReplyReading = {}): (item: ReplyItem) => Part[] {
  const told = { content: known?.content ?? '', reasoning: known?.reasoningContent ?? '' };
  const callIds = createCallIds();
  /** Calls that wait for an approval, by their own id, with the approval's. */
  const asked = new Map<string, string>();
  const atClient = new Set<string>();
  for (const { id, name, resultJson, status, escalationId, asks } of known?.toolCalls ?? []) {
    callIds.open(id);
    if (resultJson !== null) callIds.close(id);
    else if (asks != null) continue;
    else if (status === 'AwaitingApproval') asked.set(id, String(escalationId));
    else if (clientTools?.has(name)) atClient.add(id);
  }
  let begun = false;
  /** Text from here on belongs to another model call. */
  let afterTools = false;

  const step = (): Part[] => {
    if (!afterTools) return [];
    afterTools = false;
    return [{ type: 'step-end' }, { type: 'step-start' }];
  };
  const say = (type: 'text' | 'reasoning', delta: string): Part[] => {
    if (delta === '') return [];
    told[type === 'text' ? 'content' : 'reasoning'] += delta;
    return [...step(), { type, delta }];
  };
  const catchUp = ({ content, reasoningContent }: ChatMessageDto): Part[] => [
    ...say('reasoning', restOf(reasoningContent ?? '', told.reasoning) ?? ''),
    ...say('text', restOf(content, told.content) ?? ''),
  ];
  const call = (toolCall: ChatToolCallDto): Part[] => {
    const { id, name, argumentsJson, status, escalationId, asks } = toolCall;
    const ofClient = clientTools?.has(name) ?? false;
    const parts: Part[] = callIds.isOpen(id)
      ? []
      : [...step(), { type: 'tool-call', id: callIds.open(id), name, argumentsJson, ...(ofClient && { ofClient }) }];
    if (ofClient) atClient.add(id);
    asked.delete(id);
    if (status !== 'AwaitingApproval') return parts;
    if (asks != null) return [...parts, ...question(callIds.of(id), toolCall)];
    asked.set(id, String(escalationId));
    return [...parts, { type: 'tool-approval', id: callIds.of(id), approvalId: String(escalationId) }];
  };
  const result = ({ id, resultJson, status }: ChatToolCallDto): Part[] => {
    const open = callIds.close(id);
    const denied = asked.delete(id);
    afterTools = true;
    // A result is not sent back to the client that sent it.
    if (open === null || atClient.delete(id)) return [];
    const isError = status !== 'Succeeded';
    return [{ type: 'tool-result', id: open, output: outputOf(resultJson), isError, ...(denied && { denied }) }];
  };

  const waiting = (): Part => ({
    type: 'wait',
    approvals: [...asked].map(([id, approvalId]) => ({ id: callIds.of(id), approvalId })),
    clientCalls: [...atClient].map((id) => callIds.of(id)),
  });

  const start = ({ sessionId, messageId }: ChatStreamEventDto): Part[] => {
    if (begun) return [];
    begun = true;
    const id = String(messageId);
    return [
      {
        type: 'start',
        messageId: id,
        threadId: threadId ?? String(sessionId),
        runId: runId ?? id,
        metadata: { sessionId },
      },
      { type: 'step-start' },
    ];
  };

  const read = (event: ChatStreamEventDto): Part[] => {
    const { type, delta, toolCall, message } = event;
    switch (type) {
      case 'Started':
        return message ? catchUp(message) : [];
      case 'ContentDelta':
        return say('text', delta ?? '');
      case 'ReasoningDelta':
        return say('reasoning', delta ?? '');
      case 'ToolCall':
        return toolCall ? call(toolCall) : [];
      case 'ToolResult':
        return toolCall ? result(toolCall) : [];
      case 'Completed':
        return [...(message ? catchUp(message) : []), ended(event)];
      case 'Error':
        return [...(message ? catchUp(message) : []), failed(event)];
      case 'Ping':
        return message ? [waiting()] : [];
      case 'Usage':
        return [];
    }
  };

  return ({ event }) => [...start(event), ...read(event)];
}

/** What a tool asks a person, which no approval can answer: the protocols have no word for it, so that it is said. */
const question = (toolCallId: string, { name, escalationId, asks: kind }: ChatToolCallDto): Part[] => {
  const answerWith = `POST /api/agent/escalations/${escalationId}/resolve`;
  return [
    {
      type: 'data',
      name: 'question',
      id: `question-${escalationId}`,
      data: { toolCallId, escalationId, kind, answerWith },
    },
    {
      type: 'text',
      delta: `\n\n[${name} asks a person, and waits. Answer in the chat's page of the dashboard, or with ${answerWith}; the reply then goes on.]\n\n`,
    },
  ];
};

/** Result of a tool; plain text is kept as a JSON string. */
function outputOf(resultJson: string | null): string {
  if (!resultJson?.startsWith('"')) return resultJson ?? '';
  try {
    return String(JSON.parse(resultJson));
  } catch {
    return resultJson;
  }
}

function ended({ message, sessionId }: ChatStreamEventDto): Part {
  if (message?.state === 'Stopped') return { type: 'abort', reason: 'The reply was stopped.' };
  if (!message) return { type: 'finish', reason: 'other' };
  const { modelId, promptTokens, completionTokens } = message;
  return { type: 'finish', reason: 'stop', metadata: { sessionId, modelId, promptTokens, completionTokens } };
}

function failed({ error, errorCode, hint }: ChatStreamEventDto): Part {
  const message = [error ?? 'The reply failed.', hint].filter(Boolean).join(' ');
  return { type: 'error', message, code: errorCode ?? 'INTERNAL_ERROR' };
}
