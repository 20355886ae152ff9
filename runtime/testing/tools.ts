// Small tools and scripts for engine tests.
import { z } from 'zod';
import type { ModelRequest } from '../model.ts';
import type { ToolDefinition } from '../ports.ts';
import type { ScriptedTurn } from './scripted-model.ts';

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

/** How many answers the prompt already shows. */
export const turnOf = (request: ModelRequest) => request.messages.filter((one) => one.role === 'assistant').length;

/** What the run is about, as the prompt says. */
export const goalOf = (request: ModelRequest) => String(request.messages.find((one) => one.role === 'user')?.content);

/** Plays one list of turns a run; the last one again when it is through. */
export const turns =
  (...list: ScriptedTurn[]) =>
  (request: ModelRequest): ScriptedTurn =>
    list[Math.min(turnOf(request), list.length - 1)]!;

/** Plays a list of turns by goal; runs with other goals answer at once. */
export const byGoal =
  (scripts: Record<string, ScriptedTurn[]>) =>
  (request: ModelRequest): ScriptedTurn =>
    turns(...(scripts[goalOf(request)] ?? [{ text: `${goalOf(request)} is done` }]))(request);
