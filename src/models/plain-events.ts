// Tells which events of a Chat Completions stream are plain, and what they say: text, reasoning, and one tool call at a time.
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';

type Part = LanguageModelV3StreamPart;

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
  tool_calls?: unknown;
}

interface CallDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/** A call as it was begun, with the arguments that came since. */
interface Call {
  first: CallDelta;
  id: string;
  argumentsJson: string;
}

export type PlainEvents = ReturnType<typeof createPlainEvents>;

/** Reads the events of one answer, up to the first that is not plain. */
export function createPlainEvents() {
  const calls = new Map<number, Call>();
  let usage: unknown = null;

  const readCall = (deltas: unknown): Part[] | null => {
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
    calls.set(delta.index, { first: delta, id, argumentsJson: written });
    const start: Part = { type: 'tool-input-start', id, toolName: name };
    return written ? [start, { type: 'tool-input-delta', id, delta: written }] : [start];
  };

  return {
    /** The parts of an event, framing and all; null where it says, or may say, more than they can. */
    read(event: string): Part[] | null {
      if (!event.startsWith('data:')) return isComment(event) ? [] : null;
      const chunk = parsed(event.slice(5));
      if (chunk === null || 'error' in chunk || !Array.isArray(chunk.choices) || chunk.choices.length > 1) return null;
      const { delta = {}, finish_reason = null }: Choice = chunk.choices[0] ?? {};
      if (finish_reason !== null || delta === null) return null;
      const { content } = delta;
      const reasoning = delta.reasoning_content ?? delta.reasoning;
      if (!isText(content) || !isText(reasoning)) return null;
      const called = readCall(delta.tool_calls);
      if (called === null) return null;
      usage = chunk.usage ?? usage;
      const parts: Part[] = [];
      if (reasoning) parts.push({ type: 'reasoning-delta', id: 'reasoning-0', delta: reasoning });
      if (content) parts.push({ type: 'text-delta', id: 'txt-0', delta: content });
      parts.push(...called);
      return parts;
    },
    /** What the next reader has to know of the events before, as one event, and how many parts it makes of the calls in it. */
    soFar(): { event: string; parts: number } {
      if (calls.size === 0 && usage === null) return { event: '', parts: 0 };
      const all = [...calls.values()];
      const tool_calls = all.map(({ first, argumentsJson }) => ({
        ...first,
        function: { ...first.function, arguments: argumentsJson },
      }));
      const event = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls } }], usage })}\n\n`;
      return { event, parts: all.length + all.filter(({ argumentsJson }) => argumentsJson).length };
    },
  };
}

const isComment = (event: string) => /^:.*\r?\n\r?\n$/.test(event);
const isText = (value: unknown): value is string | null | undefined => value == null || typeof value === 'string';
const isWord = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function parsed(json: string): Chunk | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
