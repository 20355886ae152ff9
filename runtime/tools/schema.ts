// Tools as models and people read them, and their arguments checked.
import { z } from 'zod';
import type { ModelTool } from '../model.ts';
import type { ToolSpec } from '../ports.ts';

const schemas = new WeakMap<ToolSpec, ModelTool>();

/** The tool as a model is offered it. */
export function toolSchema(tool: ToolSpec): ModelTool {
  let known = schemas.get(tool);
  if (!known) {
    known = { name: tool.name, description: tool.description, inputSchema: inputSchema(tool) };
    schemas.set(tool, known);
  }
  return known;
}

function inputSchema(tool: ToolSpec): Record<string, unknown> {
  if ('jsonSchema' in tool.input) return tool.input.jsonSchema;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return schema;
}

/** The interface's AgentToolInfo. */
export function toolInfo(tool: ToolSpec) {
  return {
    name: tool.name,
    displayName: tool.displayName,
    description: tool.description,
    category: tool.category,
    source: tool.source,
    risk: tool.risk,
    inputSchemaJson: JSON.stringify(toolSchema(tool).inputSchema),
    connectorId: tool.connectorId ?? null,
    requiresApproval: tool.requiresApproval ?? false,
    sandboxed: tool.sandboxed,
    enabled: tool.enabled ?? true,
  };
}
export type ToolInfo = ReturnType<typeof toolInfo>;

export type Parsed = { ok: true; input: unknown } | { ok: false; problem: string };

/** Arguments as the model wrote them, checked; the problem is text that the model can act on. */
export function parseArguments(tool: ToolSpec, argumentsJson: string): Parsed {
  let raw: unknown;
  try {
    raw = argumentsJson.trim() === '' ? {} : JSON.parse(argumentsJson);
  } catch (error) {
    return { ok: false, problem: `The arguments are not valid JSON: ${(error as Error).message}` };
  }
  if ('jsonSchema' in tool.input) {
    const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
    return isObject ? { ok: true, input: raw } : { ok: false, problem: 'The arguments must be a JSON object.' };
  }
  const parsed = tool.input.safeParse(raw);
  if (parsed.success) return { ok: true, input: parsed.data };
  return { ok: false, problem: `The arguments do not fit: ${z.prettifyError(parsed.error)}` };
}
