// What a scenario may say: the answers of a model that follows a script, as YAML, JSON or TypeScript data.
import { z } from 'zod';

const ToolCall = z.strictObject({
  name: z.string().min(1),
  /** An object, in which `{{…}}` is filled in, or text sent as it is, which may be invalid JSON on purpose. */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  id: z.string().min(1).optional(),
});

const ScriptedError = z.strictObject({
  /** HTTP status as a provider would send it; without one the connection breaks. */
  status: z.int().min(400).max(599).optional(),
  message: z.string().default('scripted error'),
  retryAfterSeconds: z.number().min(0).optional(),
  /** Failing tries before the turn is answered; every one when absent. */
  times: z.int().min(1).optional(),
  /** Characters of the turn's text that still arrive; the error then comes in the middle of the answer. */
  afterCharacters: z.int().min(1).optional(),
});

const Usage = z.strictObject({
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  cacheReadTokens: z.int().min(0).default(0),
  cacheWriteTokens: z.int().min(0).default(0),
  reasoningTokens: z.int().min(0).default(0),
});

const Turn = z.strictObject({
  reasoning: z.string().optional(),
  text: z.string().optional(),
  toolCalls: z.array(ToolCall).default([]),
  error: ScriptedError.optional(),
  /** Milliseconds before the first token. */
  delayMs: z.number().min(0).optional(),
  /** Counted from the text when absent. */
  usage: Usage.optional(),
  finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'other']).optional(),
  /** Further tools that must be offered for the turn to be played; those that it calls always must. */
  needs: z.array(z.string()).default([]),
  /** Tools that must not be offered. */
  unless: z.array(z.string()).default([]),
});

export const Scenario = z.strictObject({
  description: z.string().default(''),
  turns: z.array(Turn).min(1),
  /** What follows the last turn: the last again, or the first. */
  afterEnd: z.enum(['repeat-last', 'loop']).default('repeat-last'),
  /** Characters a chunk. */
  chunkSize: z.int().min(1).default(12),
  /** Milliseconds between chunks. */
  chunkDelayMs: z.number().min(0).default(0),
  delayMs: z.number().min(0).default(0),
  /** Whether answers that call no tool end with a line that says that no model was called. */
  notice: z.boolean().default(true),
});

export type Scenario = z.output<typeof Scenario>;
export type ScenarioInput = z.input<typeof Scenario>;
export type ScriptedTurn = z.output<typeof Turn>;
