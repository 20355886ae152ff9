// Reads what is asked out of the AI SDK's conversation: useChat sends all of it each time, and we have it already.
import type { MessageDraft } from '../chat/messages.ts';
import { type Answers, type Asked, asText, fileOf, joined, nothingAsked, ourId, questionOf, toolOf } from './asked.ts';
import type { UiBody } from './contract.ts';

type UiMessage = UiBody['messages'][number];
type UiPart = Record<string, unknown>;

/** @throws Fault VALIDATION_FAILED where nothing is asked */
export function readUi({ messages, trigger, messageId, system, tools }: UiBody): Asked {
  const spoken = messages.filter(({ role }) => role !== 'system');
  const last = spoken.at(-1);
  const common = {
    system: joined([system, ...messages.filter(({ role }) => role === 'system').map(textOf)]),
    tools: (Array.isArray(tools) ? tools : Object.entries(tools ?? {}).map(([name, tool]) => ({ ...tool, name }))).map(
      toolOf,
    ),
  };
  if (trigger === 'regenerate-message') {
    const regenerateMessageId = ourId(messageId) ?? 'newest';
    return { ...common, question: { message: null, regenerateMessageId }, answers: null, history: [] };
  }
  if (last?.role === 'assistant') return { ...common, question: null, answers: answersOf(last), history: [] };
  if (!last) throw nothingAsked();
  const files = last.parts.filter(({ type }) => type === 'file').map(toFile);
  const question = questionOf({ id: last.id, text: textOf(last), files }, spoken.at(-2)?.id ?? null);
  return { ...common, question, answers: null, history: spoken.slice(0, -1).map(toDraft) };
}

const textOf = ({ parts }: UiMessage): string =>
  parts.map((part) => (part.type === 'text' ? String(part.text ?? '') : '')).join('');

const toFile = (part: UiPart) =>
  fileOf({
    url: typeof part.url === 'string' ? part.url : '',
    ...(typeof part.mediaType === 'string' && { mediaType: part.mediaType }),
    ...(typeof part.filename === 'string' && { name: part.filename }),
  });

const isTool = ({ type }: { type: string }) => type === 'dynamic-tool' || type.startsWith('tool-');

/** What the last reply has waited for: approvals, and results of the front end's own tools. */
function answersOf({ parts }: UiMessage): Answers {
  const tools = parts.filter(isTool) as UiPart[];
  const approvals = [...tools.flatMap(responded), ...decided(parts as UiPart[], tools)].flatMap((approval) => {
    const { id, approved, reason } = approval as { id?: unknown; approved?: unknown; reason?: unknown };
    const escalationId = ourId(String(id));
    if (escalationId === null) return [];
    return [{ escalationId, approved: approved === true, reason: typeof reason === 'string' ? reason : null }];
  });
  const results = tools.flatMap(({ state, toolCallId, output, errorText, providerExecuted }) => {
    if (providerExecuted === true || typeof toolCallId !== 'string') return [];
    if (state === 'output-available') return [{ toolCallId, content: asText(output), isError: false }];
    return state === 'output-error' ? [{ toolCallId, content: asText(errorText), isError: true }] : [];
  });
  if (approvals.length + results.length === 0) throw nothingAsked();
  return { approvals, results };
}

const responded = ({ state, approval }: UiPart): object[] =>
  state === 'approval-responded' && typeof approval === 'object' && approval !== null ? [approval] : [];

/** Version 5 knows no approvals: its front end writes `approved` into the data that asked, while the call waits. */
const decided = (parts: UiPart[], tools: UiPart[]): object[] =>
  parts.flatMap(({ type, data }) => {
    if (type !== 'data-approval' || typeof data !== 'object' || data === null) return [];
    const { approvalId, toolCallId, ...said } = data as Record<string, unknown>;
    const waits = tools.some((tool) => tool.toolCallId === toolCallId && tool.state === 'input-available');
    return waits && typeof said.approved === 'boolean' ? [{ ...said, id: approvalId }] : [];
  });

/** A message of a conversation that was not held here. */
function toDraft(message: UiMessage): MessageDraft {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const toolCalls = (message.parts.filter(isTool) as UiPart[]).flatMap(
    ({ type, toolName, toolCallId, input, output, errorText, state }) => {
      if (state !== 'output-available' && state !== 'output-error') return [];
      const isError = state === 'output-error';
      return [
        {
          id: String(toolCallId),
          name: typeof toolName === 'string' ? toolName : String(type).replace(/^tool-/, ''),
          argumentsJson: JSON.stringify(input ?? {}),
          resultJson: JSON.stringify((isError ? errorText : output) ?? null),
          status: isError ? ('Failed' as const) : ('Succeeded' as const),
        },
      ];
    },
  );
  return { role, content: textOf(message), ...(role === 'assistant' && { toolCalls }) };
}
