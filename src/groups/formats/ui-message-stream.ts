// Writes parts as the UI message stream of the AI SDK, so that useChat and its kin read them as their own.
import { type Part, restOf } from './parts.ts';

/** A chunk as the AI SDK calls it; see its `uiMessageChunkSchema`. */
export type UiMessageChunk = { type: string } & Record<string, unknown>;

export const uiMessageStreamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** Tools run here, not in the browser, and it may not know them. */
const ours = { dynamic: true, providerExecuted: true } as const;

/**
 * An encoder for one answer: the chunks of each part, in order.
 *
 * @param sdk the client's major version: 5 refuses chunks and fields that 6 has brought
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one answer is written from start to end, and its parts share what is open.
export function uiMessageStream(sdk: 5 | 6 = 6): (part: Part) => UiMessageChunk[] {
  const since6 = (fields: object) => (sdk >= 6 ? fields : {});
  let open: { kind: 'text' | 'reasoning'; id: string } | null = null;
  let inStep = false;
  let blocks = 0;
  const written = new Map<string, string>();
  /** Calls of tools that the client has. */
  const theirs = new Set<string>();
  const placeOf = (id: string) => (theirs.has(id) ? {} : ours);

  const close = (): UiMessageChunk[] => {
    if (!open) return [];
    const { kind, id } = open;
    open = null;
    return [{ type: `${kind}-end`, id }];
  };
  const endStep = (): UiMessageChunk[] => {
    const chunks = close();
    if (inStep) chunks.push({ type: 'finish-step' });
    inStep = false;
    return chunks;
  };
  const extend = (kind: 'text' | 'reasoning', delta: string): UiMessageChunk[] => {
    if (delta === '') return [];
    const chunks = open?.kind === kind ? [] : close();
    if (!open) {
      open = { kind, id: `${kind}-${blocks++}` };
      chunks.push({ type: `${kind}-start`, id: open.id });
    }
    return [...chunks, { type: `${kind}-delta`, id: open.id, delta }];
  };
  const extendInput = (id: string, toolName: string, delta: string): UiMessageChunk[] => {
    const chunks = close();
    const told = written.get(id);
    if (told === undefined) chunks.push({ type: 'tool-input-start', toolCallId: id, toolName, ...placeOf(id) });
    written.set(id, (told ?? '') + delta);
    if (delta !== '') chunks.push({ type: 'tool-input-delta', toolCallId: id, inputTextDelta: delta });
    return chunks;
  };
  const call = ({
    id,
    name: toolName,
    argumentsJson,
    ofClient,
  }: Extract<Part, { type: 'tool-call' }>): UiMessageChunk[] => {
    if (ofClient) theirs.add(id);
    const rest = restOf(argumentsJson, written.get(id) ?? '') ?? '';
    const chunks = extendInput(id, toolName, rest);
    const input = parsed(argumentsJson || '{}');
    const about = { toolCallId: id, toolName, ...placeOf(id) };
    if (input !== undefined) return [...chunks, { type: 'tool-input-available', ...about, input }];
    return [
      ...chunks,
      { type: 'tool-input-error', ...about, input: argumentsJson, errorText: 'The input is not JSON.' },
    ];
  };

  const resultOf = ({ id, output, isError, denied }: Extract<Part, { type: 'tool-result' }>): UiMessageChunk => {
    const toolCallId = id;
    if (denied && sdk >= 6) return { type: 'tool-output-denied', toolCallId };
    return isError
      ? { type: 'tool-output-error', toolCallId, errorText: output, ...ours }
      : { type: 'tool-output-available', toolCallId, output: value(output), ...ours };
  };

  return (part) => {
    switch (part.type) {
      case 'start':
        return [{ type: 'start', messageId: part.messageId, ...metadataOf(part) }];
      case 'step-start': {
        const chunks = endStep();
        inStep = true;
        return [...chunks, { type: 'start-step' }];
      }
      case 'step-end':
        return endStep();
      case 'text':
      case 'reasoning':
        return extend(part.type, part.delta);
      case 'tool-input':
        return extendInput(part.id, part.name, part.delta);
      case 'tool-call':
        return call(part);
      case 'tool-approval':
        return sdk >= 6
          ? [{ type: 'tool-approval-request', approvalId: part.approvalId, toolCallId: part.id }]
          : [{ type: 'data-approval', id: part.id, data: { approvalId: part.approvalId, toolCallId: part.id } }];
      case 'tool-result':
        return [...close(), resultOf(part)];
      case 'data':
        return [{ type: `data-${part.name}`, id: part.id, data: part.data }];
      case 'finish':
        return [...endStep(), { type: 'finish', ...since6({ finishReason: part.reason }), ...metadataOf(part) }];
      case 'wait':
        return [...endStep(), { type: 'finish', ...since6({ finishReason: 'tool-calls' }) }];
      case 'abort':
        return [...endStep(), { type: 'abort', ...since6({ reason: part.reason }) }];
      case 'error':
        return [...endStep(), { type: 'error', errorText: part.message }];
    }
  };
}

const metadataOf = ({ metadata }: { metadata?: Record<string, unknown> }) =>
  metadata ? { messageMetadata: metadata } : {};

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Results are texts; those that are objects or lists are shown as such. */
const value = (output: string): unknown => (/^\s*[{[]/.test(output) ? (parsed(output) ?? output) : output);
