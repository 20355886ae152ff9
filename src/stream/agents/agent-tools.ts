// Tools that agents offer over their sockets, in the engine's form.
import type { ToolContext, ToolDefinition, ToolSpec, Tools } from '../../../runtime/ports.ts';
import type { AgentTools, OfferedTool } from '../../ports/agent-tools.ts';

/** Timeout in ms of a call whose tool sets none. */
const defaultTimeoutMs = 120_000;
/** Margin in ms of the engine's own timeout, so that the model reads the real cause. */
const marginMs = 5000;

/**
 * Tools that a run may call: those of its own identity's agents. A tool whose agent has disconnected is hidden from
 * models, but still answers its callers: with an error.
 */
export function createSocketTools(agentTools: AgentTools): Tools {
  const none: ToolDefinition[] = [];
  const toolsOf = (tenantId: number, identityId: number) => {
    const offered = agentTools.offered(tenantId, identityId);
    return offered.length === 0 ? none : offered.map((tool) => define(agentTools, identityId, tool));
  };
  return {
    forRun: ({ tenantId, identityId }) => toolsOf(tenantId, identityId),
    all: (tenantId, identityId) =>
      (identityId === undefined ? agentTools.identities(tenantId) : [identityId])
        .flatMap((id) => toolsOf(tenantId, id))
        .map((tool) => ({ ...tool, enabled: tool.shown !== false })),
  };
}

function define(agentTools: AgentTools, identityId: number, tool: OfferedTool): ToolDefinition {
  return {
    ...specOf(tool),
    handler: (input, { run, toolCallId, idempotencyKey, signal, traceparent }: ToolContext) => {
      const about = { tenantId: run.tenantId, identityId, runId: run.id, toolCallId, idempotencyKey, signal };
      return agentTools.call({ ...callOf(tool, input), ...about, ...(traceparent && { traceparent }) });
    },
  };
}

/** Declaration of an offered tool. */
export const specOf = (tool: OfferedTool): ToolSpec => ({
  name: tool.name,
  displayName: titleOf(tool.name),
  description: tool.description,
  category: 'remote',
  source: 'Agent',
  risk: 'Moderate',
  sandboxed: false,
  input: { jsonSchema: tool.inputSchema },
  shown: tool.connected,
  timeoutMs: timeoutOf(tool) + marginMs,
});

/** Call of an offered tool, the same for runs and chats. */
export const callOf = (tool: OfferedTool, input: unknown) => ({
  name: tool.name,
  input: input as Record<string, unknown>,
  timeoutMs: timeoutOf(tool),
});

const timeoutOf = ({ timeoutMs }: OfferedTool) => timeoutMs ?? defaultTimeoutMs;

/** Title of a tool: `weather_get` becomes `Weather get`. */
const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
