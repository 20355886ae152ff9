// Auxiliary model calls beside the turns of a run — summaries, reviews, councils — paid from the same budgets and pool.
import type { ModelMessage, ModelRequest, ModelUsage } from '../../model.ts';
import type { Settlement } from '../../records.ts';
import { commitDeferred, commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { reserveCall, settleLater } from '../trees/escrow.ts';
import { estimatePrompt, textTokens } from './budgets.ts';
import { callerOf } from './prompt.ts';

export interface AuxRequest {
  modelId: string;
  messages: ModelMessage[];
  maxOutputTokens: number;
  /** Purpose of the call (AICallPurpose). */
  purpose: ModelRequest['purpose'];
  temperature?: number;
  /** Role and identity of the speaker; default: those of the run. */
  role?: string;
  identityId?: number;
  /** Ends the call earlier than the run's own. */
  signal?: AbortSignal;
  onText?: (delta: string) => void;
}

/** Answer text, or null when the run or the pool cannot afford the call. Throws the model's errors. */
export async function auxCall(core: Core, live: LiveRun, request: AuxRequest): Promise<string | null> {
  const { modelId, messages, maxOutputTokens, purpose, onText } = request;
  await commitDeferred(core, live);
  const promptTokens = estimatePrompt(messages, []);
  const left = live.run.maxTokens - live.run.tokensUsed - live.run.writtenOffTokens - live.auxTokens;
  const tokens = promptTokens + maxOutputTokens;
  if (left < tokens) return null;
  const callId = `aux:${live.run.id}:${live.fence}:${live.auxCount++}`;
  const costUsd = core.model.estimateCost(modelId, promptTokens, maxOutputTokens);
  const reserved = await reserveCall(core, live, { callId, tokens, costUsd, countIteration: false });
  if (!reserved.ok) return null;
  live.auxTokens += tokens;
  let text = '';
  let usage: ModelUsage | null = null;
  let started = false;
  try {
    const stream = core.model.stream({
      tenantId: live.run.tenantId,
      modelId,
      messages,
      maxOutputTokens,
      purpose,
      ...callerOf(live.run),
      ...(request.role === undefined ? {} : { role: request.role }),
      ...(request.identityId === undefined ? {} : { identityId: request.identityId }),
      signal: request.signal ?? live.abort.signal,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    });
    for await (const event of stream) {
      if (event.type === 'start') started = true;
      else if (event.type === 'text') {
        text += event.delta;
        onText?.(event.delta);
      } else if (event.type === 'finish') usage = event.usage;
    }
    return text;
  } finally {
    live.auxTokens -= tokens;
    const lost = started || text ? Math.min(tokens, promptTokens + textTokens(text)) : 0;
    await book(core, live, callId, usage, usage ? 0 : lost);
  }
}

async function book(
  core: Core,
  live: LiveRun,
  callId: string,
  usage: ModelUsage | null,
  writtenOff: number,
): Promise<void> {
  const prompt = usage?.promptTokens ?? 0;
  const completion = usage?.completionTokens ?? 0;
  const costUsd = usage?.costUsd ?? 0;
  const settlement: Settlement = { callId, tokens: prompt + completion, costUsd, writtenOff, countIteration: false };
  await commitOwned(core, live, (now) => ({
    set: {
      promptTokens: now.promptTokens + prompt,
      completionTokens: now.completionTokens + completion,
      tokensUsed: now.tokensUsed + settlement.tokens,
      costUsd: now.costUsd + costUsd,
      writtenOffTokens: now.writtenOffTokens + writtenOff,
      settlements: [...now.settlements, settlement],
    },
  }));
  settleLater(core, live, settlement);
}
