// Prompt of a chat: a branch as model messages, one per step of a reply, with tool results and attachments.
import type { ModelMessage, UserPart } from '../model.ts';
import { sinceSummary } from './branch.ts';
import type { ChatBriefing } from './ports.ts';
import type { ChatAttachment, ChatStep, MessageRecord, SessionRecord } from './records.ts';

const continueText =
  'Your reply was cut off. Go on exactly where it ended, in the middle of the word if need be. Repeat nothing, and say nothing about the cut.';
const noResult = 'The call was not carried out.';

/** System messages before the conversation. */
export function systemMessages(session: SessionRecord, briefing: ChatBriefing, own?: string): ModelMessage[] {
  const parts = [briefing.system, own ?? session.systemPrompt, briefing.hydration].filter(Boolean);
  return parts.length > 0 ? [{ role: 'system', content: parts.join('\n\n') }] : [];
}

/** Model messages of a branch from its newest summary on. */
export function conversation(branch: readonly MessageRecord[]): ModelMessage[] {
  const { summary, rest } = sinceSummary(branch);
  const answered = new Set(rest.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId));
  const messages: ModelMessage[] = [];
  if (summary !== null)
    messages.push({ role: 'user', content: `Summary of the conversation so far, for you alone:\n${summary}` });
  for (const message of rest) {
    if (message.hidden) continue;
    messages.push(...messagesOf(message, answered));
  }
  return messages;
}

/** A conversation that ends with an unfinished reply, plus a request to continue it. */
export function askedToGoOn(messages: readonly ModelMessage[]): ModelMessage[] {
  if (messages.at(-1)?.role !== 'assistant') return [...messages];
  return [...messages, { role: 'user', content: continueText }];
}

function messagesOf(message: MessageRecord, answered: ReadonlySet<string | null>): ModelMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
    case 'tool':
      return [
        {
          role: 'tool',
          toolCallId: message.toolCallId ?? '',
          toolName: message.toolName ?? 'tool',
          content: message.content,
        },
      ];
    case 'assistant':
      return joinedSteps(message.steps).flatMap((step) => stepMessages(step, answered));
  }
}

/** Joins a step that was cut with the step that continued it. */
function joinedSteps(steps: readonly ChatStep[]): ChatStep[] {
  const joined: ChatStep[] = [];
  for (const step of steps) {
    const before = joined.at(-1);
    if (before && before.toolCalls.length === 0) {
      joined[joined.length - 1] = {
        ...step,
        text: before.text + step.text,
        reasoning: before.reasoning + step.reasoning,
      };
    } else joined.push(step);
  }
  return joined;
}

function stepMessages(step: ChatStep, answered: ReadonlySet<string | null>): ModelMessage[] {
  const { text, reasoning, toolCalls, providerState } = step;
  if (text === '' && toolCalls.length === 0) return [];
  const own = toolCalls.filter(({ id }) => !answered.has(id));
  return [
    {
      role: 'assistant',
      content: text,
      ...(reasoning && { reasoning }),
      ...(toolCalls.length > 0 && {
        toolCalls: toolCalls.map(({ id, name, argumentsJson }) => ({ id, name, argumentsJson })),
      }),
      ...(providerState !== null && { providerState: JSON.parse(providerState) as unknown }),
    },
    ...own.map(
      (call): ModelMessage => ({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        content: call.resultJson === null ? noResult : resultText(call.resultJson),
        ...(call.status !== 'Succeeded' && { isError: true }),
      }),
    ),
  ];
}

/** A stored result as model text: JSON strings are unwrapped, results of client tools stay as sent. */
function resultText(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

/** Output of a tool as JSON text. */
export function resultJson(content: string): string {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null) return content;
  } catch {
    // Plain text.
  }
  return JSON.stringify(content);
}

function userContent({ content, attachments }: MessageRecord): string | UserPart[] {
  if (attachments.length === 0) return content;
  return [{ type: 'text', text: content }, ...attachments.map(partOf)];
}

function partOf(attachment: ChatAttachment): UserPart {
  const { kind, name, mimeType, text, base64, url } = attachment;
  if (kind === 'Image') {
    const data = base64 === null ? new URL(url ?? '') : Buffer.from(base64, 'base64');
    return { type: 'image', mediaType: mimeType ?? 'image/*', data };
  }
  const body = text ?? (base64 === null ? (url ?? '') : Buffer.from(base64, 'base64').toString('utf8'));
  return { type: 'text', text: `${name ? `Attachment "${name}"` : 'Attachment'}:\n${body}` };
}
