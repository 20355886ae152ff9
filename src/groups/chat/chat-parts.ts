// A chat reply as one answer: the events of its stream as parts that any format is made of.
import { createCallIds } from '../formats/call-ids.ts';
import { type Part, restOf } from '../formats/parts.ts';
import type { ChatMessageDto, ChatStreamEventDto, ChatToolCallDto } from './dto.ts';
import type { ReplyItem } from './reply-stream.ts';

/**
 * A reader of one reply's events, in order; its last part is one of those that end an answer. What the reply's message
 * says whole has the last word: a part of it that no delta brought is told then.
 *
 * @param runId what this answer is called, where its client has a name for it
 */
export function chatParts(runId?: string): (item: ReplyItem) => Part[] {
  const told = { content: '', reasoning: '' };
  const callIds = createCallIds();
  let begun = false;
  /** Words now are those of another model call. */
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
  const call = ({ id, name, argumentsJson, status, escalationId }: ChatToolCallDto): Part[] => {
    const parts: Part[] = callIds.isOpen(id)
      ? []
      : [...step(), { type: 'tool-call', id: callIds.open(id), name, argumentsJson }];
    if (status !== 'AwaitingApproval') return parts;
    return [...parts, { type: 'tool-approval', id: callIds.of(id), approvalId: String(escalationId) }];
  };
  const result = ({ id, resultJson, status }: ChatToolCallDto): Part[] => {
    const open = callIds.close(id);
    afterTools = true;
    return open === null
      ? []
      : [{ type: 'tool-result', id: open, output: resultJson ?? '', isError: status !== 'Succeeded' }];
  };

  const start = ({ sessionId, messageId }: ChatStreamEventDto): Part[] => {
    if (begun) return [];
    begun = true;
    const id = String(messageId);
    return [
      { type: 'start', messageId: id, threadId: String(sessionId), runId: runId ?? id, metadata: { sessionId } },
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
      case 'Usage':
      case 'Ping':
        return [];
    }
  };

  return ({ event }) => [...start(event), ...read(event)];
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
