// Calls to agents connected to this node: sent over a socket, answered by `Ack`, kept across a reconnect.
import { z } from 'zod';
import { problemsOf } from '../../contract/problems.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { AgentTool, AgentToolCall, AgentToolResult } from '../../ports/agent-tools.ts';
import type { Connection } from '../connections/connection.ts';
import { reconnectGraceMs } from '../connections/connections.ts';

const Registration = z.strictObject({
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)+$/, 'must look like weather_get'),
        description: z.string().min(1).max(2000),
        inputSchema: z.record(z.string(), z.unknown()),
        timeoutMs: z.int().min(100).max(600_000).exactOptional(),
      }),
    )
    .max(100),
});

const Answer = z.object({ content: z.string().max(1024 * 1024), isError: z.boolean().nullish() });

interface Pending {
  call: AgentToolCall;
  id: string;
  /** When the caller began to wait, ms. */
  since: number;
  connection: Connection | null;
  resolve: (result: AgentToolResult) => void;
  reject: (error: unknown) => void;
  /** Ends the grace time for a disconnected agent. */
  stopGrace: () => void;
  /** True when another node makes the call now. */
  passed: boolean;
}

type Offer = Pick<AgentToolCall, 'tenantId' | 'identityId' | 'name'>;
type Owner = Pick<AgentToolCall, 'tenantId' | 'identityId'>;

export interface LocalCalls {
  /** Handles a client's `Call`. @throws Fault VALIDATION_FAILED, FORBIDDEN, CONFLICT */
  register(connection: Connection, type: string, data: Record<string, unknown>): void;
  /** Handles an identity's `Ack`; false when no call with this id waits here. */
  answer(from: Owner, id: string, data: Record<string, unknown>): boolean;
  /** Handles a closed connection. */
  left(connection: Connection): void;
  /** Tools of the identities connected here. */
  offers(): Iterable<{ tenantId: number; identityId: number; tools: readonly AgentTool[] }>;
  offered(tenantId: number, identityId: number): readonly AgentTool[];
  /** True when an agent here offers the tool. */
  serves(call: Offer): boolean;
  call(call: AgentToolCall): Promise<AgentToolResult>;
  /** Routes calls that wait for a reconnecting agent to another node. */
  passOn(to: Offer, make: (call: AgentToolCall) => Promise<AgentToolResult>): void;
}

interface LocalCallsDeps {
  clock: Clock;
  nodeId: string;
  /** Called when the offers of an identity have changed. */
  onChange: (tenantId: number, identityId: number) => void;
  /** Whether a name belongs to one of the server's own tools. */
  isTaken?: (name: string) => boolean;
}

/** The agents of this node. */
export function createLocalCalls(deps: LocalCallsDeps): LocalCalls {
  return new CallsOfNode(deps);
}

class CallsOfNode implements LocalCalls {
  readonly #deps: LocalCallsDeps;
  readonly #tools = new Map<Connection, readonly AgentTool[]>();
  readonly #pending = new Map<string, Pending>();
  #next = 1;

  constructor(deps: LocalCallsDeps) {
    this.#deps = deps;
  }

  register(connection: Connection, type: string, data: Record<string, unknown>): void {
    const { identityId, tenantId } = connection.caller;
    if (type !== 'tools.register') {
      throw new Fault('VALIDATION_FAILED', `There is no call "${type}".`, {
        hint: 'Send {"op":"Call","type":"tools.register","data":{"tools":[{"name","description","inputSchema"}]}}.',
      });
    }
    if (identityId === null || !connection.link.call) {
      throw new Fault('FORBIDDEN', 'Only an identity offers tools, over a WebSocket or socket.io.', {
        hint: "Connect with an identity's key.",
      });
    }
    if (!connection.caller.permissions.has('RunsWrite')) {
      throw new Fault('FORBIDDEN', 'Offering tools to runs needs the permission RunsWrite.', {
        hint: 'Connect with a key that has it.',
      });
    }
    const parsed = Registration.safeParse(data);
    if (!parsed.success) {
      const { said } = problemsOf(parsed.error, data, 'data', 'data.');
      throw new Fault('VALIDATION_FAILED', `The tools are not valid: ${said}.`, {
        hint: 'A tool has a name like weather_get, a description and the JSON Schema of its arguments.',
      });
    }
    const taken = parsed.data.tools.find(({ name }) => this.#deps.isTaken?.(name));
    if (taken) {
      throw new Fault('CONFLICT', `${taken.name} is a tool of the server.`, { hint: 'Offer it under another name.' });
    }
    this.#tools.set(connection, parsed.data.tools);
    this.#deps.onChange(tenantId, identityId);
    for (const pending of this.#seeking()) {
      if (this.#carries(connection, pending.call)) this.#send(pending, connection);
    }
  }

  answer(from: Owner, id: string, data: Record<string, unknown>): boolean {
    const pending = this.#pending.get(id);
    // Any connection of the owner may answer: the call may be from before a reconnect.
    if (!pending || !owns(from, pending.call)) return false;
    const parsed = Answer.safeParse(data);
    if (parsed.success) pending.resolve({ content: parsed.data.content, isError: parsed.data.isError ?? false });
    else pending.reject(brokenAnswer(pending.call));
    return true;
  }

  left(connection: Connection): void {
    if (!this.#tools.delete(connection)) return;
    const { tenantId, identityId } = connection.caller;
    if (identityId !== null) this.#deps.onChange(tenantId, identityId);
    for (const pending of this.#pending.values()) {
      if (pending.connection === connection) this.#seek(pending);
    }
  }

  *offers() {
    const seen = new Set<string>();
    for (const { caller } of this.#tools.keys()) {
      const { tenantId, identityId } = caller;
      const name = `${tenantId}/${identityId}`;
      if (identityId === null || seen.has(name)) continue;
      seen.add(name);
      yield { tenantId, identityId, tools: this.offered(tenantId, identityId) };
    }
  }

  offered(tenantId: number, identityId: number): readonly AgentTool[] {
    const named = new Map<string, AgentTool>();
    for (const [connection, tools] of this.#tools) {
      if (!owns(connection.caller, { tenantId, identityId })) continue;
      for (const tool of tools) named.set(tool.name, tool);
    }
    return [...named.values()];
  }

  serves(call: Offer): boolean {
    return this.#find(call) !== undefined;
  }

  passOn(to: Offer, make: (call: AgentToolCall) => Promise<AgentToolResult>): void {
    for (const pending of this.#seeking()) {
      if (pending.call.name !== to.name || !owns(to, pending.call)) continue;
      pending.passed = true;
      pending.stopGrace();
      make(this.#upToNow(pending)).then(pending.resolve, pending.reject);
    }
  }

  call(call: AgentToolCall): Promise<AgentToolResult> {
    const id = `${this.#deps.nodeId}:${(this.#next++).toString(36)}`;
    const { promise, settle } = this.#expect(call, id);
    const connection = this.#find(call);
    if (connection) this.#send(settle, connection);
    else this.#seek(settle);
    return promise;
  }

  /** Registers a call, with its deadline and abort. */
  #expect(call: AgentToolCall, id: string): { promise: Promise<AgentToolResult>; settle: Pending } {
    let settle: Pending | undefined;
    const promise = new Promise<AgentToolResult>((resolve, reject) => {
      const since = this.#deps.clock.steady() - (call.waitedMs ?? 0);
      settle = { call, id, since, connection: null, resolve, reject, stopGrace: () => undefined, passed: false };
    });
    const pending = settle as Pending;
    this.#pending.set(id, pending);
    const stopTimer = this.#deps.clock.after(timeLeft(call), () => pending.reject(tooLate(call)));
    const onAbort = () => pending.reject(call.signal?.reason);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const done = () => {
      stopTimer();
      pending.stopGrace();
      call.signal?.removeEventListener('abort', onAbort);
      this.#pending.delete(id);
    };
    promise.then(done, done);
    if (call.signal?.aborted) onAbort();
    return { promise, settle: pending };
  }

  /** The call with the time that it has waited so far. */
  #upToNow({ call, since }: Pending): AgentToolCall {
    return { ...call, waitedMs: this.#deps.clock.steady() - since };
  }

  #send(pending: Pending, connection: Connection): void {
    const { call, id } = pending;
    pending.stopGrace();
    pending.connection = connection;
    connection.link.call?.({
      op: 'Call',
      id,
      topics: null,
      topic: null,
      lastEventId: null,
      type: call.name,
      data: {
        arguments: call.input,
        idempotencyKey: call.idempotencyKey,
        runId: call.runId ?? null,
        toolCallId: call.toolCallId ?? null,
        timeoutMs: timeLeft(this.#upToNow(pending)),
        ...(call.traceparent && { traceparent: call.traceparent }),
      },
    });
  }

  /** Moves the calls of a disconnected agent to another connection, or to the same agent within the grace time. */
  #seek(pending: Pending): void {
    pending.connection = null;
    const other = this.#find(pending.call);
    if (other) this.#send(pending, other);
    else pending.stopGrace = this.#deps.clock.after(reconnectGraceMs, () => pending.reject(gone(pending.call)));
  }

  /** Calls without a connection at this moment. */
  #seeking(): Pending[] {
    return [...this.#pending.values()].filter(({ connection, passed }) => connection === null && !passed);
  }

  #find(call: Offer): Connection | undefined {
    for (const connection of this.#tools.keys()) if (this.#carries(connection, call)) return connection;
    return undefined;
  }

  #carries(connection: Connection, call: Offer): boolean {
    if (connection.closed || !owns(connection.caller, call)) return false;
    return this.#tools.get(connection)?.some(({ name }) => name === call.name) ?? false;
  }
}

/** Milliseconds that a call may still wait. */
export const timeLeft = ({ timeoutMs, waitedMs = 0 }: AgentToolCall): number => Math.max(0, timeoutMs - waitedMs);

const owns = (one: { tenantId: number; identityId: number | null }, of: Owner): boolean =>
  one.tenantId === of.tenantId && one.identityId === of.identityId;

const gone = ({ name, identityId }: AgentToolCall) =>
  new Fault('CONNECTOR_ERROR', `The agent that offers ${name} is not connected.`, {
    hint: `Identity ${identityId} must connect to /api/ws and register the tool again.`,
  });

const tooLate = ({ name, timeoutMs }: AgentToolCall) =>
  new Fault('CONNECTOR_TIMEOUT', `The agent did not answer ${name} within ${timeoutMs} ms.`, {
    hint: 'It may still be at work: call again with the same idempotency key, or wait longer.',
  });

const brokenAnswer = ({ name }: AgentToolCall) =>
  new Fault('CONNECTOR_ERROR', `The agent's answer to ${name} has no text in data.content.`, {
    hint: 'Answer with {"op":"Ack","id":…,"data":{"content":"…","isError":false}}.',
  });
