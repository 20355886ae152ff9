// Plays a scenario as if a provider streamed it. What comes next follows from the conversation alone, so that a run
// that is taken up after a crash goes on where it was.
import { APICallError, type LanguageModelV3StreamPart, type LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ModelRequest } from '../../../runtime/model.ts';
import type { Clock } from '../../kernel/clock.ts';
import { estimatePrompt, estimateTokens } from '../pricing/token-estimates.ts';
import { fill } from './placeholders.ts';
import type { Scenario, ScriptedTurn } from './scenario.ts';

type Part = LanguageModelV3StreamPart;

/**
 * The turn that answers this conversation: turns whose tools are not there are left out, then answers are counted. A
 * scenario knows its tools by name, so those that are offered on request are there for it.
 */
export function turnFor(scenario: Scenario, request: ModelRequest): ScriptedTurn {
  const offered = new Set([...(request.tools ?? []).map(({ name }) => name), ...(request.onRequest ?? [])]);
  const playable = scenario.turns.filter(
    (turn) =>
      turn.toolCalls.every(({ name }) => offered.has(name)) &&
      turn.needs.every((name) => offered.has(name)) &&
      !turn.unless.some((name) => offered.has(name)),
  );
  const answers = request.messages.filter(({ role }) => role === 'assistant').length;
  const index = scenario.afterEnd === 'loop' ? answers % playable.length : Math.min(answers, playable.length - 1);
  // Without tools no turn may match; the text of the last turn is the answer then.
  return playable[index] ?? { ...(scenario.turns.at(-1) as ScriptedTurn), toolCalls: [] };
}

export interface PlayOptions {
  clock: Clock;
  modelId: string;
  signal: AbortSignal;
  /** How often this turn of this conversation was asked for before. */
  earlierTries: number;
  /** How many times faster than it is written; 1 unless given. */
  speed?: number;
}

/** The parts of the answer. Rejects at once with the turn's error where that comes before the first token. */
export async function play(
  scenario: Scenario,
  request: ModelRequest,
  options: PlayOptions,
): Promise<AsyncIterable<Part>> {
  const turn = turnFor(scenario, request);
  const { clock, signal } = options;
  signal.throwIfAborted();
  const delay = turn.delayMs ?? scenario.delayMs;
  if (delay > 0) await clock.sleep(delay / (options.speed ?? 1), signal);
  const { error } = turn;
  const fails = error !== undefined && (error.times === undefined || options.earlierTries < error.times);
  if (fails && error.afterCharacters === undefined) throw toCallError(error);
  return parts(scenario, turn, request, options, fails ? error : undefined);
}

async function* parts(
  scenario: Scenario,
  turn: ScriptedTurn,
  request: ModelRequest,
  { clock, modelId, signal, speed = 1 }: PlayOptions,
  error: ScriptedTurn['error'],
): AsyncGenerator<Part> {
  const pace = speed === 1 ? '' : `@${speed}`;
  const text = textOf(scenario, turn, request, modelId);
  const reasoning = String(fill(turn.reasoning ?? '', request.messages));
  const rest = async () => {
    if (scenario.chunkDelayMs > 0) await clock.sleep(scenario.chunkDelayMs / speed, signal);
    else signal.throwIfAborted();
  };
  for (const delta of chunks(reasoning, scenario.chunkSize)) {
    await rest();
    yield { type: 'reasoning-delta', id: 'reasoning', delta };
  }
  for (const delta of chunks(error ? text.slice(0, error.afterCharacters) : text, scenario.chunkSize)) {
    await rest();
    yield { type: 'text-delta', id: 'text', delta };
  }
  if (error) throw toCallError(error);
  const answers = request.messages.filter(({ role }) => role === 'assistant').length;
  let written = '';
  for (const [index, call] of turn.toolCalls.entries()) {
    const id = call.id ?? `call_${answers + 1}_${index + 1}`;
    const filled = fill(call.arguments, request.messages, pace);
    const input = typeof filled === 'string' ? filled : JSON.stringify(filled);
    written += input;
    yield { type: 'tool-input-start', id, toolName: call.name };
    for (const delta of chunks(input, scenario.chunkSize * 4)) {
      await rest();
      yield { type: 'tool-input-delta', id, delta };
    }
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName: call.name, input };
  }
  const unified = turn.finishReason ?? (turn.toolCalls.length > 0 ? 'tool-calls' : 'stop');
  const usage = usageOf(turn, request, reasoning, text + written);
  yield { type: 'finish', finishReason: { unified, raw: 'scripted' }, usage };
}

function textOf(scenario: Scenario, turn: ScriptedTurn, request: ModelRequest, modelId: string): string {
  const text = String(fill(turn.text ?? '', request.messages));
  if (!scenario.notice || turn.toolCalls.length > 0) return text;
  return `${text}${text ? '\n\n' : ''}_(Scripted answer from \`${modelId}\`: no language model was asked.)_`;
}

/** Pieces of `size` characters; a surrogate pair stays together. */
function* chunks(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(at, end);
    at = end;
  }
}

function usageOf(turn: ScriptedTurn, request: ModelRequest, reasoning: string, text: string): LanguageModelV3Usage {
  const reasoningTokens = estimateTokens(reasoning);
  const usage = turn.usage ?? {
    promptTokens: estimatePrompt(request),
    completionTokens: estimateTokens(text) + reasoningTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens,
  };
  return {
    inputTokens: {
      total: usage.promptTokens,
      noCache: usage.promptTokens - usage.cacheReadTokens,
      cacheRead: usage.cacheReadTokens,
      cacheWrite: usage.cacheWriteTokens,
    },
    outputTokens: {
      total: usage.completionTokens,
      text: usage.completionTokens - usage.reasoningTokens,
      reasoning: usage.reasoningTokens,
    },
  };
}

function toCallError({ status, message, retryAfterSeconds }: NonNullable<ScriptedTurn['error']>): APICallError {
  return new APICallError({
    message,
    url: 'scripted:',
    requestBodyValues: {},
    ...(status !== undefined && { statusCode: status }),
    ...(retryAfterSeconds !== undefined && { responseHeaders: { 'retry-after': String(retryAfterSeconds) } }),
  });
}
