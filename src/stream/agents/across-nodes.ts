// Agents of all nodes: each node tells what its agents offer, and calls travel to the node that holds the socket.
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { AgentTool, AgentToolCall, AgentToolResult, AgentTools } from '../../ports/agent-tools.ts';
import type { Broker } from '../broker.ts';
import type { AgentDesk } from './desk.ts';

/** Offers are told again at this rate, and forgotten when they were not for three times as long. */
const tellMs = 10_000;

interface Offer {
  nodeId: string;
  tools: readonly AgentTool[];
  until: number;
}

interface Deps {
  desk: AgentDesk;
  broker: Broker;
  clock: Clock;
  nodeId: string;
}

type Signal = Record<string, unknown>;
type Answered = { result: AgentToolResult } | { code: 'CONNECTOR_ERROR' | 'CONNECTOR_TIMEOUT'; message: string };

export interface AgentsEverywhere extends AgentTools {
  /** Tells other nodes that an identity's offers have changed here. */
  tell(tenantId: number, identityId: number): void;
  stop(): void;
}

/** Agents of this node and, where the broker spans several, of the others. */
export function createAgentTools(deps: Deps): AgentsEverywhere {
  const { desk, broker, clock, nodeId } = deps;
  const remote = new Map<string, Map<string, Offer>>();
  const waiting = new Map<string, (answer: Answered) => void>();
  let next = 1;

  const nameOf = (tenantId: unknown, identityId: unknown) => `${tenantId}/${identityId}`;
  const offersOf = (tenantId: number, identityId: number): Offer[] =>
    [...(remote.get(nameOf(tenantId, identityId))?.values() ?? [])].filter(({ until }) => until > clock.now());

  const tell = (tenantId: number, identityId: number) => {
    if (!broker.shared) return;
    broker.signal({ kind: 'agent.tools', nodeId, tenantId, identityId, tools: desk.offered(tenantId, identityId) });
  };

  const hear = ({ nodeId: from, tenantId, identityId, tools }: Signal) => {
    const name = nameOf(tenantId, identityId);
    const offers = remote.get(name) ?? new Map<string, Offer>();
    if ((tools as AgentTool[]).length === 0) offers.delete(String(from));
    else {
      const offer = { nodeId: String(from), tools: tools as AgentTool[], until: clock.now() + 3 * tellMs };
      offers.set(offer.nodeId, offer);
    }
    if (offers.size > 0) remote.set(name, offers);
    else remote.delete(name);
  };

  const serve = async ({ from, id, call }: Signal) => {
    let answer: Answered;
    try {
      answer = { result: await desk.call(call as AgentToolCall) };
    } catch (error) {
      const { code, message } = toFault(error);
      answer = { code: code === 'CONNECTOR_TIMEOUT' ? code : 'CONNECTOR_ERROR', message };
    }
    broker.signal({ kind: 'agent.answer', to: from, id, answer });
  };

  const stopSignals = broker.onSignal((signal) => {
    if (signal.kind === 'agent.tools' && signal.nodeId !== nodeId) hear(signal);
    else if (signal.kind === 'agent.call' && signal.to === nodeId) void serve(signal);
    else if (signal.kind === 'agent.answer' && signal.to === nodeId)
      waiting.get(String(signal.id))?.(signal.answer as Answered);
  });
  const stopTelling = clock.every(tellMs, () => {
    for (const { tenantId, identityId } of desk.offers()) tell(tenantId, identityId);
  });

  const callRemote = async (call: AgentToolCall, to: string): Promise<AgentToolResult> => {
    const id = `${nodeId}:${(next++).toString(36)}`;
    const { signal, ...rest } = call;
    let stop = () => {};
    try {
      const answer = await new Promise<Answered>((resolve, reject) => {
        waiting.set(id, resolve);
        const onAbort = () => reject(signal?.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        // The other node keeps the deadline; this one is for the case that it dies.
        const message = `The agent did not answer ${call.name}.`;
        const stopTimer = clock.after(call.timeoutMs + 2000, () => resolve({ code: 'CONNECTOR_TIMEOUT', message }));
        stop = () => {
          stopTimer();
          signal?.removeEventListener('abort', onAbort);
        };
        broker.signal({ kind: 'agent.call', to, from: nodeId, id, call: rest });
      });
      if ('result' in answer) return answer.result;
      throw new Fault(answer.code, answer.message, { hint: 'See that the agent is connected, then call again.' });
    } finally {
      stop();
      waiting.delete(id);
    }
  };

  return {
    tell,
    offered(tenantId, identityId) {
      const named = new Map<string, AgentTool>();
      for (const { tools } of offersOf(tenantId, identityId)) for (const tool of tools) named.set(tool.name, tool);
      for (const tool of desk.offered(tenantId, identityId)) named.set(tool.name, tool);
      return [...named.values()];
    },
    call(call) {
      const elsewhere = offersOf(call.tenantId, call.identityId).find(({ tools }) =>
        tools.some(({ name }) => name === call.name),
      );
      return elsewhere && !desk.serves(call) ? callRemote(call, elsewhere.nodeId) : desk.call(call);
    },
    stop() {
      stopSignals();
      stopTelling();
    },
  };
}
