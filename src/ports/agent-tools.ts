// Tools that connected agents offer to runs over their sockets.

export interface AgentTool {
  /** `{domain}_{action}`, as runs call it. */
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** Milliseconds that a call may take; the caller's own limit otherwise. */
  timeoutMs?: number;
}

export interface OfferedTool extends AgentTool {
  /** False when the agent is away for longer than a reconnect takes; a call then fails and says so. */
  connected: boolean;
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
  /** Names the span of the call, so that the agent's own spans can hang below it. */
  traceparent?: string;
  timeoutMs: number;
  /** Milliseconds of the timeout that have passed already, at another node. */
  waitedMs?: number;
  signal?: AbortSignal;
}

export interface AgentToolResult {
  content: string;
  isError: boolean;
}

export interface AgentTools {
  /** What an identity's agents offer on any node, and have offered not long ago. */
  offered(tenantId: number, identityId: number): readonly OfferedTool[];
  /** Identities of a tenant whose agents offer tools, or have offered some not long ago. */
  identities(tenantId: number): readonly number[];
  /**
   * Calls a tool and waits for its answer, over a reconnect of the agent too, to whichever node.
   *
   * @throws Fault CONNECTOR_TIMEOUT when no answer comes in time; CONNECTOR_ERROR when the agent is gone; the signal's
   *   reason when aborted
   */
  call(call: AgentToolCall): Promise<AgentToolResult>;
}
