// Calls a tool as the engine does: arguments checked, the outcome an object.

import type { ToolContext, ToolDefinition, ToolOutcome } from '../../runtime/ports.ts';
import { parseArguments } from '../../runtime/tool-schema.ts';

/** Throws what the handler throws, and an error for arguments that the schema refuses. */
export async function callTool(
  tools: ToolDefinition[],
  name: string,
  input: unknown,
  run: Pick<ToolContext['run'], 'id' | 'projectId' | 'rootRunId' | 'parentRunId'>,
  signal: AbortSignal = new AbortController().signal,
  traceparent?: string,
  callId = 'call-1',
): Promise<ToolOutcome> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const parsed = parseArguments(tool, JSON.stringify(input));
  if (!parsed.ok) throw new Error(parsed.problem);
  const context = {
    run: run as ToolContext['run'],
    toolCallId: callId,
    idempotencyKey: `key of ${callId}`,
    signal,
    progress: () => {},
    ...(traceparent && { traceparent }),
  };
  const outcome = await tool.handler(parsed.input, context);
  return typeof outcome === 'string' ? { content: outcome } : outcome;
}
