// Agents of all nodes: each node publishes its agents' tools, and calls are routed to the node that holds the socket.
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { createLru } from '../../kernel/lru.ts';
import type { AgentTool, AgentToolCall, AgentToolResult, AgentTools, OfferedTool } from '../../ports/agent-tools.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';
import type { Signal } from '../brokers/signals.ts';
import type { Connection } from '../connections/connection.ts';
import { reconnectGraceMs } from '../connections/connections.ts';
import { type LocalCalls, timeLeft } from './local-calls.ts';

/** Interval in ms at which offers are published again, in case a message was lost. */
const tellMs = 10_000;
/**
 * Interval in ms at which an unanswered call is sent again: the call or its answer may have been lost with the
 * broker.
 */
const resendMs = 1000;
/** Time in ms for which answers and acknowledgements are kept for repeated calls. */
const answersMs = 30_000;
/** Limit of absent identities whose tools are remembered. */
const remembered = 10_000;

interface Deps {
  localCalls: LocalCalls;
  broker: Broker;
  nodes: Nodes;
  clock: Clock;
  nodeId: string;
}

type Failure = { code: 'CONNECTOR_ERROR' | 'CONNECTOR_TIMEOUT'; message: string };
/** Outcome of a call to another node; `lost` when that node is gone. */
type Outcome = { result: AgentToolResult } | Failure | 'lost';
type Known = Map<string, { tool: AgentTool; goneAt: number | null }>;

export interface AgentsEverywhere extends AgentTools {
  /** Publishes changed offers of an identity on this node. */
  changed(tenantId: number, identityId: number): void;
  /** Receives a client's `Ack`, to a call of any node. */
  answer(connection: Connection, id: string, data: Record<string, unknown>): void;
  stop(): void;
}

/** Agents of this node and, with a shared broker, of the others. */
export function createAgentTools(deps: Deps): AgentsEverywhere {
  return new Agents(deps);
}

const nameOf = (tenantId: number, identityId: number) => `${tenantId}/${identityId}`;

class Agents implements AgentsEverywhere {
  readonly #deps: Deps;
  /** Offers of other nodes: by identity, then by node. */
  readonly #remote = new Map<string, Map<string, readonly AgentTool[]>>();
  readonly #known = createLru<string, Known>(remembered);
  readonly #waiting = new Map<string, { to: string; settle: (outcome: Outcome) => void }>();
  /** Calls in progress for other nodes. */
  readonly #serving = new Map<string, AbortController>();
  /** Recent answers to other nodes, for repeated calls. */
  readonly #answered = createLru<string, Outcome>(remembered, { ttl: answersMs });
  /** Recent acknowledgements of agents to calls of other nodes. */
  readonly #acks = createLru<string, Signal>(remembered, { ttl: answersMs });
  readonly #stops: (() => void)[];
  #next = 1;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { broker, clock, nodes } = deps;
    this.#stops = [broker.onSignal((signal) => this.#hear(signal)), clock.every(tellMs, () => this.#tellAll())];
    nodes.watch(({ nodeId, here }) => (here ? this.#tellAll() : this.#forget(nodeId)));
  }

  changed(tenantId: number, identityId: number): void {
    this.#note(tenantId, identityId);
    this.#tell(tenantId, identityId);
  }

  offered(tenantId: number, identityId: number): readonly OfferedTool[] {
    const now = this.#deps.clock.steady();
    const known = this.#known.get(nameOf(tenantId, identityId));
    return [...(known?.values() ?? [])].map(({ tool, goneAt }) => ({
      ...tool,
      connected: goneAt === null || now - goneAt < reconnectGraceMs,
    }));
  }

  identities(tenantId: number): readonly number[] {
    const names = [...this.#known.keys()].map((name) => name.split('/').map(Number));
    return names.filter(([tenant]) => tenant === tenantId).map(([, identity]) => identity as number);
  }

  async call(call: AgentToolCall): Promise<AgentToolResult> {
    const { localCalls, clock } = this.#deps;
    const since = clock.steady() - (call.waitedMs ?? 0);
    for (;;) {
      const to = localCalls.serves(call) ? undefined : this.#holderOf(call);
      const rest = { ...call, waitedMs: clock.steady() - since };
      if (to === undefined) return localCalls.call(rest);
      const outcome = await this.#callAt(to, rest);
      if (outcome === 'lost') continue;
      if ('result' in outcome) return outcome.result;
      throw new Fault(outcome.code, outcome.message, { hint: 'See that the agent is connected, then call again.' });
    }
  }

  answer({ caller }: Connection, id: string, data: Record<string, unknown>): void {
    const { tenantId, identityId } = caller;
    const { localCalls, broker } = this.#deps;
    if (identityId === null || localCalls.answer({ tenantId, identityId }, id, data) || !broker.shared) return;
    // The call was made before the agent moved here: its node still waits.
    const ack: Signal = { kind: 'agent.ack', tenantId, identityId, id, data };
    this.#acks.set(id, ack);
    broker.signal(ack);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #holderOf({ tenantId, identityId, name }: AgentToolCall): string | undefined {
    const offers = this.#remote.get(nameOf(tenantId, identityId)) ?? [];
    for (const [nodeId, tools] of offers) if (tools.some((tool) => tool.name === name)) return nodeId;
    return undefined;
  }

  #callAt(to: string, { signal, ...call }: AgentToolCall): Promise<Outcome> {
    const { broker, clock, nodeId } = this.#deps;
    const id = `${nodeId}:${(this.#next++).toString(36)}`;
    return new Promise<Outcome>((resolve, reject) => {
      const end = () => {
        stopTimer();
        stopResending();
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.delete(id);
      };
      const settle = (outcome: Outcome) => {
        end();
        resolve(outcome);
      };
      const onAbort = () => {
        end();
        broker.signal({ kind: 'agent.cancel', to, id });
        reject(signal?.reason);
      };
      // The other node keeps the deadline; this timeout covers a lost message.
      const late: Failure = { code: 'CONNECTOR_TIMEOUT', message: `The agent did not answer ${call.name}.` };
      const stopTimer = clock.after(timeLeft(call) + 2000, () => settle(late));
      const send = () => broker.signal({ kind: 'agent.call', to, from: nodeId, id, call });
      const stopResending = clock.every(resendMs, send);
      this.#waiting.set(id, { to, settle });
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      send();
    });
  }

  #hear(signal: Signal): void {
    const { nodeId, localCalls } = this.#deps;
    if (signal.kind === 'agent.tools' && signal.nodeId !== nodeId) this.#hearOffer(signal);
    else if (signal.kind === 'agent.ack') {
      const who = { tenantId: Number(signal.tenantId), identityId: Number(signal.identityId) };
      localCalls.answer(who, String(signal.id), signal.data as Record<string, unknown>);
    } else if (signal.kind === 'reconnected') this.#sayAgain();
    else if (signal.to !== nodeId) return;
    else if (signal.kind === 'agent.call') void this.#serve(signal);
    else if (signal.kind === 'agent.cancel') this.#serving.get(String(signal.id))?.abort(new Error('cancelled'));
    else if (signal.kind === 'agent.answer') this.#waiting.get(String(signal.id))?.settle(signal.answer as Outcome);
  }

  #hearOffer({ nodeId: from, ...signal }: Signal): void {
    const [tenantId, identityId] = [Number(signal.tenantId), Number(signal.identityId)];
    const tools = signal.tools as AgentTool[];
    const name = nameOf(tenantId, identityId);
    const offers = this.#remote.get(name) ?? new Map<string, readonly AgentTool[]>();
    if (tools.length === 0) offers.delete(String(from));
    else offers.set(String(from), tools);
    if (offers.size > 0) this.#remote.set(name, offers);
    else this.#remote.delete(name);
    this.#note(tenantId, identityId);
    // An agent that disconnected here during a call has reconnected there.
    for (const tool of tools)
      this.#deps.localCalls.passOn({ tenantId, identityId, name: tool.name }, (call) => this.call(call));
  }

  /** Publishes everything again after a reconnect: messages sent meanwhile are lost. */
  #sayAgain(): void {
    this.#deps.clock.after(resendMs, () => {
      this.#tellAll();
      for (const ack of this.#acks.values()) this.#deps.broker.signal(ack);
    });
  }

  async #serve({ from, id, call }: Signal): Promise<void> {
    // A repeated request: the call is in progress, or its answer was lost.
    const known = this.#answered.get(String(id));
    if (known) this.#deps.broker.signal({ kind: 'agent.answer', to: from, id, answer: known });
    if (known || this.#serving.has(String(id))) return;
    const abort = new AbortController();
    this.#serving.set(String(id), abort);
    let answer: Outcome;
    try {
      answer = { result: await this.#deps.localCalls.call({ ...(call as AgentToolCall), signal: abort.signal }) };
    } catch (error) {
      const { code, message } = toFault(error);
      answer = { code: code === 'CONNECTOR_TIMEOUT' ? code : 'CONNECTOR_ERROR', message };
    }
    this.#serving.delete(String(id));
    this.#answered.set(String(id), answer);
    this.#deps.broker.signal({ kind: 'agent.answer', to: from, id, answer });
  }

  /** Forgets a dead node and its agents; calls to it are routed again. */
  #forget(nodeId: string): void {
    for (const [name, offers] of this.#remote) {
      if (!offers.delete(nodeId)) continue;
      if (offers.size === 0) this.#remote.delete(name);
      const [tenantId = 0, identityId = 0] = name.split('/').map(Number);
      this.#note(tenantId, identityId);
    }
    for (const { to, settle } of this.#waiting.values()) if (to === nodeId) settle('lost');
  }

  /** Records the present offers of an identity, and since when it no longer offers the others. */
  #note(tenantId: number, identityId: number): void {
    const name = nameOf(tenantId, identityId);
    const here = this.#deps.localCalls.offered(tenantId, identityId);
    const tools = [...(this.#remote.get(name)?.values() ?? []), here].flat();
    const known: Known = this.#known.get(name) ?? new Map();
    const now = this.#deps.clock.steady();
    for (const entry of known.values()) entry.goneAt ??= now;
    for (const tool of tools) known.set(tool.name, { tool, goneAt: null });
    if (known.size > 0) this.#known.set(name, known);
  }

  #tell(tenantId: number, identityId: number): void {
    const { broker, localCalls, nodeId } = this.#deps;
    if (!broker.shared) return;
    broker.signal({
      kind: 'agent.tools',
      nodeId,
      tenantId,
      identityId,
      tools: localCalls.offered(tenantId, identityId),
    });
  }

  #tellAll(): void {
    for (const { tenantId, identityId } of this.#deps.localCalls.offers()) this.#tell(tenantId, identityId);
  }
}
