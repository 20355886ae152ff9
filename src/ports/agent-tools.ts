// Tools that connected agents offer to runs over their sockets.

export interface AgentTool {
  /** `{domain}_{action}`, as runs call it. */
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
}

export interface AgentToolCall {
  tenantId: number;
  /** The agent that offers the tool. */
  identityId: number;
  name: string;
  input: Record<string, unknown>;
  /** The same for every attempt, so that an agent can tell a repeated call from a new one. */
  idempotencyKey: string;
  runId?: number;
  toolCallId?: string;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface AgentToolResult {
  content: string;
  isError: boolean;
}

export interface AgentTools {
  /** What an identity's connected agents offer at this moment, on any node. */
  offered(tenantId: number, identityId: number): readonly AgentTool[];
  /**
   * Calls a tool and waits for its answer, over a reconnect of the agent too.
   *
   * @throws Fault CONNECTOR_TIMEOUT when no answer comes in time; CONNECTOR_ERROR when the agent is gone; the signal's
   *   reason when aborted
   */
  call(call: AgentToolCall): Promise<AgentToolResult>;
}
