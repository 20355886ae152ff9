// Small tools and scripts for engine tests.
import { z } from 'zod';
import type { ModelRequest } from '../model.ts';
import type { ToolDefinition } from '../ports.ts';
import type { ScriptedTurn } from './scripted-model.ts';
import type { World } from './world.ts';

/** A tool that takes an optional number. */
export const testTool = (
  name: string,
  handler: ToolDefinition['handler'],
  more: Partial<ToolDefinition> = {},
): ToolDefinition => ({
  name,
  displayName: name,
  description: name,
  category: 'test',
  source: 'Plugin',
  risk: 'Safe',
  sandboxed: false,
  input: z.strictObject({ value: z.number().optional() }),
  handler,
  ...more,
});

/**
 * A tool `effect` that calls `onRepeat` for each call made although its result is stored; `work` runs before the
 * answer.
 */
export function effectTool(
  world: () => World,
  onRepeat: (idempotencyKey: string) => void,
  work: (idempotencyKey: string, signal: AbortSignal) => Promise<void> = async () => {},
): ToolDefinition {
  const handler: ToolDefinition['handler'] = async (_, { run, idempotencyKey, signal }) => {
    const key = idempotencyKey.split('-').at(-1)!;
    if (world().memory.disk.toolCalls.get(run.id)?.get(key)?.result != null) onRepeat(idempotencyKey);
    await work(idempotencyKey, signal);
    return `effect ${idempotencyKey}`;
  };
  return testTool('effect', handler);
}

/** Number of answers in the prompt. */
export const turnOf = (request: ModelRequest) => request.messages.filter((one) => one.role === 'assistant').length;

/** Goal of the run in the prompt. */
export const goalOf = (request: ModelRequest) => String(request.messages.find((one) => one.role === 'user')?.content);

/** Plays one list of turns per run; the last turn repeats. */
export const turns =
  (...list: ScriptedTurn[]) =>
  (request: ModelRequest): ScriptedTurn =>
    list[Math.min(turnOf(request), list.length - 1)]!;

/** Plays a list of turns by goal; runs with other goals end at once. */
export const byGoal =
  (scripts: Record<string, ScriptedTurn[]>) =>
  (request: ModelRequest): ScriptedTurn =>
    turns(...(scripts[goalOf(request)] ?? [{ text: `${goalOf(request)} is done` }]))(request);
