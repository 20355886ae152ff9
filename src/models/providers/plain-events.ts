// Tells which events of a Chat Completions stream are plain, and what they say: text, reasoning, one tool call at a
// time, the end.
import { randomUUID } from 'node:crypto';
import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';

type Part = LanguageModelV3StreamPart;

interface Usage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null } | null;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null;
}

interface Chunk {
  usage?: unknown;
  choices?: Choice[];
}

interface Choice {
  delta?: Delta | null;
  finish_reason?: unknown;
}

interface Delta {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: unknown;
  /** What was there before `tool_calls`. */
  function_call?: unknown;
}

interface CallDelta {
  index?: unknown;
  id?: unknown;
  extra_content?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/** A call as it was begun, with the arguments that came since. */
interface Call {
  first: CallDelta;
  id: string;
  name: string;
  argumentsJson: string;
}

export type PlainEvents = ReturnType<typeof createPlainEvents>;

/** The parts of what an event says of a call, which it begins or goes on with; null where that is not plain. */
function readCall(calls: Map<number, Call>, deltas: unknown): Part[] | null {
  if (deltas == null || (Array.isArray(deltas) && deltas.length === 0)) return [];
  if (!Array.isArray(deltas) || deltas.length > 1) return null;
  const delta = deltas[0] as CallDelta | null;
  const { name, arguments: written = '' } = delta?.function ?? {};
  if (delta == null || typeof delta.index !== 'number' || typeof written !== 'string') return null;
  const call = calls.get(delta.index);
  if (call) {
    if (name || (delta.id && delta.id !== call.id)) return null;
    call.argumentsJson += written;
    return [{ type: 'tool-input-delta', id: call.id, delta: written }];
  }
  const { id } = delta;
  if (!isWord(id) || !isWord(name) || [...calls.values()].some((one) => one.id === id)) return null;
  calls.set(delta.index, { first: delta, id, name, argumentsJson: written });
  const start: Part = { type: 'tool-input-start', id, toolName: name };
  return written ? [start, { type: 'tool-input-delta', id, delta: written }] : [start];
}

/** Reads the events of one answer, up to the first that is not plain. */
export function createPlainEvents() {
  const calls = new Map<number, Call>();
  let usage: Usage | null = null;
  let finishReason: string | null = null;

  return {
    /** The parts of an event, framing and all; null where it says, or may say, more than they can. */
    read(event: string): Part[] | null {
      if (!event.startsWith('data:')) return isComment(event) ? [] : null;
      if (isDone(event)) return [];
      const chunk = parsed(event.slice(5));
      if (chunk === null || 'error' in chunk || !Array.isArray(chunk.choices) || chunk.choices.length > 1) return null;
      const { delta, finish_reason }: Choice = chunk.choices[0] ?? {};
      if (!isText(finish_reason)) return null;
      const { content, tool_calls, refusal, function_call, ...more } = delta ?? {};
      const reasoning = more.reasoning_content ?? more.reasoning;
      if (!isText(content) || !isText(reasoning) || !isText(refusal)) return null;
      const called = readCall(
        calls,
        isObject(function_call) ? asToolCall(function_call, calls.size === 0) : tool_calls,
      );
      if (called === null) return null;
      // Counts that are not numbers are ignored.
      usage = isUsage(chunk.usage) ? chunk.usage : usage;
      finishReason = finish_reason ?? finishReason;
      const parts: Part[] = [];
      if (reasoning) parts.push({ type: 'reasoning-delta', id: 'reasoning-0', delta: reasoning });
      if (content) parts.push({ type: 'text-delta', id: 'txt-0', delta: content });
      if (refusal) parts.push({ type: 'text-delta', id: 'txt-0', delta: refusal, providerMetadata: refusalMark });
      parts.push(...called);
      return parts;
    },
    /**
     * What comes after the last event; null where the answer has not ended properly, or its calls carry more than
     * words.
     */
    ending(): Part[] | null {
      const all = [...calls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call);
      if (finishReason === null || all.some(({ first }) => first.extra_content != null)) return null;
      const said = all.map(({ id, name, argumentsJson }): Part => {
        return { type: 'tool-call', toolCallId: id, toolName: name, input: argumentsJson };
      });
      return [...said, { type: 'finish', finishReason: toFinishReason(finishReason), usage: toUsage(usage) }];
    },
    /**
     * What the next reader has to know of the events before, as one event, and how many parts it makes of the calls in
     * it.
     */
    soFar(): { event: string; parts: number } {
      if (calls.size === 0 && usage === null && finishReason === null) return { event: '', parts: 0 };
      const all = [...calls.values()];
      const tool_calls = all.map(({ first, argumentsJson }) => ({
        ...first,
        function: { ...first.function, arguments: argumentsJson },
      }));
      const choice = { delta: { tool_calls }, ...(finishReason !== null && { finish_reason: finishReason }) };
      const event = `data: ${JSON.stringify({ choices: [choice], usage })}\n\n`;
      return { event, parts: all.length + all.filter(({ argumentsJson }) => argumentsJson).length };
    },
  };
}

/** Text that is a refusal, as the SDK would mark what only one provider has. */
const refusalMark = { plain: { refusal: true } };

/** The one call of an answer to `functions`, which has no id. */
const asToolCall = (call: Record<string, unknown>, first: boolean) => [
  {
    index: 0,
    ...(first && { id: `call_${randomUUID().replaceAll('-', '')}` }),
    function: { ...call, ...(!first && { name: undefined }) },
  },
];

function toFinishReason(raw: string): LanguageModelV3FinishReason {
  switch (raw) {
    case 'stop':
    case 'length':
      return { unified: raw, raw };
    case 'content_filter':
      return { unified: 'content-filter', raw };
    case 'function_call':
    case 'tool_calls':
      return { unified: 'tool-calls', raw };
    default:
      return { unified: 'other', raw };
  }
}

function toUsage(usage: Usage | null): LanguageModelV3Usage {
  if (!usage) return unknownUsage;
  const [input, output] = [usage.prompt_tokens ?? 0, usage.completion_tokens ?? 0];
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  };
}

const unknownUsage: LanguageModelV3Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

const isComment = (event: string) => /^:.*\r?\n\r?\n$/.test(event);
const isDone = (event: string) => /^data: ?\[DONE\]\r?\n\r?\n$/.test(event);
const isText = (value: unknown): value is string | null | undefined => value == null || typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isCount = (value: unknown) => value == null || Number.isFinite(value);
const isDetails = (value: unknown, count: string) => value == null || (isObject(value) && isCount(value[count]));

const isUsage = (value: unknown): value is Usage =>
  isObject(value) &&
  isCount(value.prompt_tokens) &&
  isCount(value.completion_tokens) &&
  isDetails(value.prompt_tokens_details, 'cached_tokens') &&
  isDetails(value.completion_tokens_details, 'reasoning_tokens');

const isWord = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function parsed(json: string): Chunk | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
