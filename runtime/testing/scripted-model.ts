// A Model that plays a script, for tests: no network, exact usage, latency by the clock.
import type { Clock } from '../../src/kernel/clock.ts';
import type { FinishReason, Model, ModelEvent, ModelRequest, ModelUsage } from '../model.ts';

export interface ScriptedTurn {
  text?: string;
  reasoning?: string;
  calls?: { name: string; arguments: unknown; id?: string }[];
  /** How the answer ends: `tool-calls` with calls, else `stop`, unless given. */
  finish?: FinishReason;
  /** Error thrown before the first token. */
  error?: Error;
  /** Milliseconds until the first token. */
  delayMs?: number;
  promptTokens?: number;
  completionTokens?: number;
}

export interface ScriptedModel extends Model {
  /** Every request that reached the model, in order. */
  readonly requests: ModelRequest[];
  /** Prompt and completion tokens of all calls so far, as a provider would count them. */
  readonly spent: { tokens: number; calls: number };
  /** The same tokens by run. */
  readonly spentByRun: ReadonlyMap<number, number>;
}

/** US dollars a token, so that costs are easy to check. */
export const scriptedPrice = 0.000_001;

/** A model that answers each request with the result of `script`. */
export function createScriptedModel(
  clock: Clock,
  script: (request: ModelRequest, call: number) => ScriptedTurn,
  limits = { contextTokens: 128_000, maxOutputTokens: 4096 },
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const spent = { tokens: 0, calls: 0 };
  const spentByRun = new Map<number, number>();
  const charge = ({ runId = 0 }: ModelRequest, tokens: number) => {
    spent.tokens += tokens;
    spentByRun.set(runId, (spentByRun.get(runId) ?? 0) + tokens);
  };
  return {
    requests,
    spent,
    spentByRun,
    stream: (request) => {
      requests.push(request);
      spent.calls++;
      return play(clock, request, script(request, requests.length - 1), charge);
    },
    estimateCost: (_modelId, prompt, completion) => (prompt + completion) * scriptedPrice,
    limits: () => limits,
    defaultModelId: () => 'scripted:test',
  };
}

async function* play(
  clock: Clock,
  request: ModelRequest,
  turn: ScriptedTurn,
  charge: (request: ModelRequest, tokens: number) => void,
): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  if (turn.delayMs) await clock.sleep(turn.delayMs, request.signal);
  if (turn.error) throw turn.error;
  const promptTokens = turn.promptTokens ?? 100;
  const completionTokens = Math.min(turn.completionTokens ?? 20, request.maxOutputTokens ?? Number.POSITIVE_INFINITY);
  charge(request, promptTokens + completionTokens);
  yield { type: 'start', modelId: request.modelId };
  if (turn.reasoning) yield { type: 'reasoning', delta: turn.reasoning };
  for (const word of (turn.text ?? '').split(/(?<= )/)) if (word) yield { type: 'text', delta: word };
  for (const [at, call] of (turn.calls ?? []).entries()) {
    const argumentsJson = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const id = call.id ?? `call_${request.messages.length}_${at}`;
    yield { type: 'tool-arguments', toolCallId: id, toolName: call.name, delta: argumentsJson };
    yield { type: 'tool-call', call: { id, name: call.name, argumentsJson } };
  }
  const usage: ModelUsage = {
    promptTokens,
    completionTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: (promptTokens + completionTokens) * scriptedPrice,
  };
  const reason = turn.finish ?? (turn.calls?.length ? 'tool-calls' : 'stop');
  yield { type: 'finish', reason, usage, modelId: request.modelId };
}
