// Budgets of a run: pure arithmetic over its own limits, and the warnings at 75 and 90 %.
import type { ModelMessage, ModelTool } from '../../model.ts';
import type { EventDraft, RunRecord, SpentLimit } from '../../records.ts';
import { activeTime } from '../../state/run.ts';
import type { TreeRecord } from '../../state/tree.ts';

/** Least output in tokens for which a model call is worth its prompt. */
const leastOutput = 16;

export type Allowance = { ok: true; maxOutputTokens: number } | { ok: false; spent: SpentLimit };

/** Upper bounds of the next model call, whose prompt has about `promptTokens`. */
export function allowance(run: RunRecord, promptTokens: number, modelMaxOutput: number): Allowance {
  const iterations = Math.min(run.maxIterations, run.hardIterationCap);
  if (!run.turnOpen && run.iterationsUsed >= iterations)
    return { ok: false, spent: { limit: 'maxIterations', needed: 1 } };
  const left = run.maxTokens - run.tokensUsed - run.writtenOffTokens - promptTokens;
  if (left < leastOutput) return { ok: false, spent: { limit: 'maxTokens', needed: promptTokens + leastOutput } };
  return { ok: true, maxOutputTokens: Math.min(modelMaxOutput, left) };
}

/** Output limit that fits into the pool's `available` tokens; null when the call is not worth making. */
export function shrink(promptTokens: number, maxOutputTokens: number, available: number): number | null {
  const fits = Math.min(maxOutputTokens, available - promptTokens);
  return fits >= leastOutput ? fits : null;
}

/** The pool's limit that refuses a call of `promptTokens` that may cost `costUsd`. */
export function spentPool(tree: TreeRecord, promptTokens: number, costUsd: number): SpentLimit {
  if (tree.iterationsUsed >= tree.iterationBudget) return { limit: 'poolIterationBudget', needed: 1 };
  const isDear = tree.costBudgetUsd !== null && tree.costUsd + costUsd > tree.costBudgetUsd;
  const hasTokens = tree.tokensUsed + promptTokens + leastOutput <= tree.tokenBudget;
  if (isDear && hasTokens) return { limit: 'poolCostBudgetUsd', needed: costUsd };
  return { limit: 'poolTokenBudget', needed: promptTokens + leastOutput };
}

/** Warnings that are due and new, with the marks to remember; time is in ms. */
export function budgetWarnings(run: RunRecord, steady: number): { warned: string[]; events: EventDraft[] } | null {
  const shares: [string, number, number][] = [
    ['iterations', run.iterationsUsed, Math.min(run.maxIterations, run.hardIterationCap)],
    ['tokens', run.tokensUsed + run.writtenOffTokens, run.maxTokens],
    ['time', activeTime(run, steady), run.maxWallClockMs],
  ];
  const events: EventDraft[] = [];
  const warned = [...run.warned];
  for (const [budget, used, limit] of shares) {
    const percent = (100 * used) / limit;
    const mark = percent >= 90 ? 90 : percent >= 75 ? 75 : null;
    if (mark === null || warned.includes(`${budget}:${mark}`)) continue;
    warned.push(`${budget}:${mark}`);
    events.push({
      type: budget === 'time' ? 'DeadlineWarning' : 'BudgetWarning',
      level: 'Warning',
      title: budget === 'time' ? `${mark} % of the time is used` : `${mark} % of the ${budget} are used`,
      payload: { budget, percent: Math.floor(percent), used, limit },
    });
  }
  return events.length > 0 ? { warned, events } : null;
}

/**
 * Tokens of a text, estimated on the high side: about 4 characters per token in English, down to one character per
 * token in other scripts.
 */
export function textTokens(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) wide++;
  return Math.ceil((text.length - wide) / 3.5 + wide);
}

const messageTokens = new WeakMap<ModelMessage, number>();

/** Tokens of one message with its frame, estimated on the high side. */
export function estimateMessage(message: ModelMessage): number {
  const known = messageTokens.get(message);
  if (known !== undefined) return known;
  let tokens = 6;
  if (typeof message.content === 'string') tokens += textTokens(message.content);
  else for (const part of message.content) tokens += part.type === 'text' ? textTokens(part.text) : 1500;
  if (message.role === 'assistant') {
    for (const call of message.toolCalls ?? []) tokens += 12 + textTokens(call.name) + textTokens(call.argumentsJson);
  }
  messageTokens.set(message, tokens);
  return tokens;
}

const toolTokens = new WeakMap<ModelTool, number>();

/** Tokens of a whole prompt, estimated on the high side. */
export function estimatePrompt(messages: readonly ModelMessage[], tools: readonly ModelTool[]): number {
  let tokens = 3;
  for (const message of messages) tokens += estimateMessage(message);
  for (const tool of tools) {
    let size = toolTokens.get(tool);
    if (size === undefined) {
      size = 8 + textTokens(tool.name) + textTokens(tool.description) + textTokens(JSON.stringify(tool.inputSchema));
      toolTokens.set(tool, size);
    }
    tokens += size;
  }
  return tokens;
}
