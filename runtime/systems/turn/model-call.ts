// One model call: its request, and its stream read to the end.
import type { FinishReason, ModelRequest, ModelToolCall, ModelUsage } from '../../model.ts';
import type { Briefing } from '../../ports.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { textTokens } from './budgets.ts';
import { createDeltas } from './deltas.ts';
import { type Prompt, shownModel } from './prompt.ts';

export type Step = 'go-on' | 'rest';

export interface Call {
  id: string;
  request: ModelRequest;
  promptTokens: number;
  unread: Prompt['unread'];
  /** Event of what the prompt recalls. */
  recalled: Briefing['recalled'];
}

export interface Answer {
  text: string;
  reasoning: string;
  calls: ModelToolCall[];
  reason: FinishReason;
  usage: ModelUsage;
  modelId: string;
  /** State of the provider, sent back with the message. */
  providerState: unknown;
  durationMs: number;
  /** Models that took over before the answer began, each with why the one before it did not answer. */
  fallbacks: { modelId: string; reason: string }[];
}

/** Reads the model's stream to its end. On a failure the text so far is kept on the error for the settlement. */
export async function listen(core: Core, live: LiveRun, call: Call): Promise<Answer> {
  const started = core.clock.steady();
  const heard = { text: '', reasoning: '', started: false };
  const calls: ModelToolCall[] = [];
  const fallbacks: Answer['fallbacks'] = [];
  const deltas = createDeltas(core, live.run, live.run.iterationsUsed, shownModel(core, call.request.modelId));
  try {
    for await (const event of core.model.stream(call.request)) {
      live.abort.signal.throwIfAborted();
      if (event.type === 'start') heard.started = true;
      // Runs have no call repeated, so that another try is one of another model.
      else if (event.type === 'retry') fallbacks.push({ modelId: event.modelId, reason: event.reason });
      else if (event.type === 'text') {
        heard.text += event.delta;
        deltas.push('Content', event.delta);
      } else if (event.type === 'reasoning') {
        heard.reasoning += event.delta;
        deltas.push('Reasoning', event.delta);
      } else if (event.type === 'tool-arguments') deltas.push('ToolArguments', event.delta, event.toolCallId);
      else if (event.type === 'tool-call') calls.push(event.call);
      else if (event.type === 'finish') {
        const { reason, usage, modelId, providerState } = event;
        return {
          text: heard.text,
          reasoning: heard.reasoning,
          calls,
          reason,
          usage,
          modelId,
          providerState,
          durationMs: Math.round(core.clock.steady() - started),
          fallbacks,
        };
      }
    }
    throw new Error('The model ended its stream without finishing.');
  } catch (error) {
    const generated = textTokens(heard.text) + textTokens(heard.reasoning) + calls.length * 50;
    throw new CutCall(error, heard.started || generated > 0 ? call.promptTokens + generated : 0);
  } finally {
    deltas.end();
  }
}

/** A model call that ended without usage; `tokens` is the most it may have cost. */
export class CutCall extends Error {
  override readonly name = 'CutCall';
  readonly tokens: number;
  constructor(cause: unknown, tokens: number) {
    super('The model call was cut short.', { cause });
    this.tokens = tokens;
  }
}
