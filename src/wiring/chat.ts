// Wires the chat engine with its stores, tools and models.
import { type Chat, createChat } from '../../runtime/chat/chat.ts';
import { chatCouncilTool } from '../../runtime/chat/council-tool.ts';
import type { ApprovalDecision, ChatPorts, ChatTool, EndedReply } from '../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../runtime/chat/records.ts';
import type { Engine } from '../../runtime/engine.ts';
import type { Model } from '../../runtime/model.ts';
import type { Ports } from '../../runtime/ports.ts';
import { type OpenBots, openBots } from '../groups/bot-profiles/book.ts';
import { createAccess } from '../groups/chat/access.ts';
import { createChatBriefings } from '../groups/chat/briefings.ts';
import { createChatStore, messageRecord, sessionRecord } from '../groups/chat/documents.ts';
import { createReplyFollower } from '../groups/chat/reply-stream.ts';
import { createChatSink } from '../groups/chat/sink.ts';
import type { RecalledItem } from '../groups/part.ts';
import { briefedChat, toolsForChat } from '../groups/part-tools.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { AgentTools } from '../ports/agent-tools.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { callOf, specOf } from '../stream/agents/agent-tools.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { traceChatTool } from '../telemetry/trace-runs.ts';
import { currentParent } from '../telemetry/tracing.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  storage: Storage;
  streams: OpenStreams;
  runtime: OpenRuntime;
  policies: Policies;
  model: Model;
  router: Pick<ModelRouter, 'callOf'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Interval in ms of the repair of replies whose server died. */
const repairEveryMs = 10_000;
/** Milliseconds that replies get to end at shutdown. */
const shutdownGraceMs = 5000;

/** Puts chat together; `repair` ends what earlier processes left, once this one has its lease. */
export function openChat({ storage, streams, policies, runtime, model, router, clock, log: all, metrics }: Deps) {
  const log = all.child({ domain: 'Chat' });
  const { db, ids } = storage;
  const documents = createChatStore({ db, ids, clock });
  const { store } = documents;
  const sink = createChatSink({ publisher: streams.publisher, log });
  const recalled = ({ tenantId, id: chatSessionId }: SessionRecord, items: readonly RecalledItem[]) => {
    const data = { chatSessionId, tokenEstimate: items.reduce((sum, one) => sum + one.tokens, 0), items: [...items] };
    const topics = [`chat:${chatSessionId}`];
    return streams.publisher.publish({ tenantId, topics, type: 'memory.recalled', data });
  };
  const bots = openBots({ ...storage, clock });
  const briefings = createChatBriefings({
    ...runtime,
    policies,
    tells: runtime.partTells.map(tellChat),
    strangerTells: runtime.strangerTells.map(tellChat),
    botOf: bots.of,
    recalled,
  });
  const council = chatCouncilTool(runtime.engine);
  const tools: ChatPorts['tools'] = async (session) => {
    const ofParts = toolsForChat(await runtime.toolsOf(session), session, recalled);
    return [council, ...ofParts, ...socketTools(streams.agentTools, session)].map(traceChatTool);
  };
  const engine: Chat = createChat({
    store,
    sink,
    model,
    usageOf: (request) => router.callOf(request),
    tools,
    briefings,
    rules: runtime.rules,
    approvals: createApprovals(runtime.engine),
    abandon: ({ id }) => runtime.engine.abandonCouncils(id),
    nodes: nodesOf(runtime.engine),
    clock,
    log,
    onEnded: whenEnded({ metrics, bots, log }),
  });
  metrics.gauge('chat_replies_active', 'Replies that are being made in this process.', () => engine.active());
  const follow = createReplyFollower({ follower: streams.follower, load: replyLoader(documents) });
  const rounds = createRounds({ clock, log });
  return {
    ...documents,
    access: createAccess(documents),
    chat: engine,
    follow,
    sink,
    tools,
    briefings,
    bots,
    /** Gives a reply the decision that it waits for; false when it cannot take it now. */
    takeDecision: ({ tenantId, chatSessionId, decision }: Told) =>
      engine.decided(tenantId, chatSessionId, toApproval(decision)),
    async run() {
      await engine.repair();
      rounds.start({ name: 'the chats', everyMs: repairEveryMs, work: () => engine.repair() });
    },
    async close() {
      await Promise.all([rounds.close(), engine.close(shutdownGraceMs)]);
    },
  };
}
export type OpenChat = ReturnType<typeof openChat>;

const nodesOf = (engine: Engine): ChatPorts['nodes'] => ({
  own: () => engine.stats().node,
  hold: () => engine.holdLease(),
  alive: () => engine.aliveNodes(),
});

/** Tools that agents offer over their sockets: those of the identity that answers, and of the one that asks. */
function socketTools(agentTools: AgentTools, { tenantId, identityId, ownerIdentityId }: SessionRecord): ChatTool[] {
  const identities = [...new Set([identityId, ownerIdentityId])].filter((id) => id !== null);
  return identities.flatMap(
    (id) =>
      agentTools.offered(tenantId, id).map((tool) => ({
        ...specOf(tool),
        handler: (input: unknown, { toolCallId, idempotencyKey, signal }) => {
          const about = { tenantId, identityId: id, toolCallId, idempotencyKey, signal };
          const traceparent = currentParent();
          return agentTools.call({ ...callOf(tool, input), ...about, ...(traceparent && { traceparent }) });
        },
      })) satisfies ChatTool[],
  );
}

const replyLoader =
  ({ sessions, messages }: ReturnType<typeof createChatStore>): Parameters<typeof createReplyFollower>[0]['load'] =>
  async (tenantId, sessionId, messageId) => {
    const [session, message] = await Promise.all([
      sessions(tenantId).findOne({ _id: sessionId }),
      messages(tenantId).findOne({ _id: messageId }),
    ]);
    return session && message && { session: sessionRecord(session), message: messageRecord(message) };
  };

const tellChat =
  (tell: OpenRuntime['partTells'][number]) =>
  (session: SessionRecord, lastWords: string): ReturnType<typeof tell> =>
    tell(briefedChat(session, lastWords));

type Told = Parameters<NonNullable<Ports['chatDecisions']>>[0];

function createApprovals(engine: Engine): ChatPorts['approvals'] {
  return {
    nextId: () => engine.nextEscalationId(),
    async ask({ session, ...asked }) {
      const { tenantId, id: chatSessionId, projectId } = session;
      const identityId = session.identityId ?? session.ownerIdentityId;
      await engine.askForChat({ tenantId, chatSessionId, projectId, identityId, ...asked });
    },
    withdraw: (id) => engine.withdrawEscalation(id),
  };
}

function toApproval({ escalationId, outcome, decision, notes, argumentsJson }: Told['decision']): ApprovalDecision {
  const text = ['A person refused the call.', decision, notes].filter(Boolean).join(' ');
  const answer = outcome === 'decided' ? decision : null;
  const lost = outcome === 'lost' && { lost: true as const };
  return { escalationId, approved: outcome === 'approved', text, argumentsJson, answer, ...lost };
}

function whenEnded({ metrics, bots, log }: { metrics: Metrics; bots: OpenBots; log: Logger }) {
  const observed = observe(metrics);
  return (reply: EndedReply): void => {
    observed(reply);
    bots.ended(reply).catch((error: unknown) => log.warn({ err: error }, 'the tokens of a visitor were not counted'));
  };
}

function observe(metrics: Metrics): NonNullable<ChatPorts['onEnded']> {
  const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
  const seconds = metrics.histogram('chat_reply_seconds', 'Duration of replies by how they ended.', ['state'], buckets);
  const first = metrics.histogram('chat_first_token_seconds', 'Time to the first words of replies.', [], buckets);
  return (reply) => {
    seconds({ state: reply.state }, reply.seconds);
    if (reply.firstTokenSeconds !== null) first({}, reply.firstTokenSeconds);
  };
}
