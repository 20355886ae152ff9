// Chat: replies are generated with or without viewers, one at a time per session, and stored as they grow.
import { Fault } from '../../src/kernel/fault.ts';
import { awaitingClient, takeResults } from './client-tools.ts';
import { endReply, generateToEnd, type Running } from './lifecycle.ts';
import { LiveReply, StopReply } from './live.ts';
import type { ApprovalDecision, ChatPorts, ClientResult } from './ports.ts';
import type { MessageRecord, SessionRecord } from './records.ts';
import { busy, type Plan, plan, type ReplyRequest, titleOf } from './start.ts';
import { decide } from './tool-calls.ts';

export type { ReplyRequest } from './start.ts';

/** A generation that runs in the background; its events are on the topic of its session. */
export interface StartedReply {
  sessionId: number;
  /** Id of the reply's message, the `messageId` of its events. */
  messageId: number;
  /** Start of the generation, ms since 1970: its events are at or after this time. */
  startedAt: number;
  /** Whether an earlier request with the same idempotency key had started this reply. */
  existed: boolean;
}

export interface Chat {
  /**
   * Starts a reply. Resolves when the question and the empty reply are stored.
   *
   * @throws Fault NOT_FOUND, VALIDATION_FAILED, SHUTTING_DOWN; CONFLICT while another reply of the session is generated
   */
  start(request: ReplyRequest): Promise<StartedReply>;
  /** Stops the session's generation. Returns the message as stored. Fault CONFLICT when no reply is being generated. */
  stop(tenantId: number, sessionId: number): Promise<MessageRecord>;
  /** Gives a waiting reply its decision. False when the reply cannot take it yet: the caller must deliver it again. */
  decided(tenantId: number, sessionId: number, decision: ApprovalDecision): Promise<boolean>;
  /**
   * Gives a reply the results of the client's own tools; the reply continues when no result is missing. Results of
   * calls
   * that no longer wait are ignored.
   *
   * @throws Fault NOT_FOUND; CONFLICT when no reply waits, or another request holds it past the timeout
   */
  answered(tenantId: number, sessionId: number, results: readonly ClientResult[]): Promise<void>;
  /**
   * Ends replies whose process died. Call it once this process has its lease, then periodically. Returns how many
   * ended.
   */
  repair(): Promise<number>;
  /** Number of replies that this process is generating. */
  active(): number;
  /** Refuses new replies, lets running ones end for `graceMs`, then interrupts the rest and keeps their text. */
  close(graceMs: number): Promise<void>;
}

/** Timeout in ms for another node to stop a reply; the line below is the poll interval. */
const stopWaitMs = 15_000;
const stopPollMs = 100;
/** Timeout in ms for a reply that another request with the same key is starting. */
const beginWaitMs = 5000;
const beginPollMs = 20;
/** Timeout in ms for an ended reply to release its session; its node may have died in between. */
const releaseWaitMs = 5000;
const releasePollMs = 20;

/** A chat engine over its ports. */
export function createChat(ports: ChatPorts): Chat {
  const work = { replies: new Map(), beginning: new Set<{ sessionId: number }>(), tasks: new Set<Promise<void>>() };
  const running: Running = { ...work, closing: new AbortController() };
  return {
    start: (request) => start(ports, running, request),
    stop: (tenantId, sessionId) => stop(ports, running, tenantId, sessionId),
    decided: (tenantId, sessionId, decision) => takeDecision(ports, running, { tenantId, sessionId, decision }),
    answered: (tenantId, sessionId, results) => takeAnswers(ports, running, { tenantId, sessionId, results }),
    repair: () => repair(ports, running),
    active: () => running.replies.size,
    async close(graceMs) {
      running.closing.abort(closing());
      const cancel = ports.clock.after(graceMs, () => {
        for (const { live } of running.replies.values()) live.abort.abort(new StopReply('Interrupted'));
      });
      await Promise.all([...running.replies.values()].map(({ done }) => done));
      cancel();
      await Promise.all(running.tasks);
    },
  };
}

async function start(ports: ChatPorts, running: Running, request: ReplyRequest): Promise<StartedReply> {
  if (running.closing.signal.aborted) throw closing();
  const { tenantId, sessionId, idempotencyKey } = request;
  const earlier = await earlierReply(ports, request);
  if (earlier) return earlier;
  const session = await settledSession(ports, tenantId, sessionId);
  const planned = session.generation ? null : await plan(ports, session, request);
  const owner = await ports.nodes.hold();
  const startedAt = ports.clock.now();
  const begun =
    planned &&
    (await beginning(running, sessionId, async () => {
      const generation = { owner, startedAt, idempotencyKey: idempotencyKey ?? null };
      const held = await ports.store.claim(tenantId, sessionId, { messageId: planned.reply.id, ...generation });
      const ready = held && (await begin(ports, held, planned, startedAt));
      if (ready) launch(ports, running, ready.session, ready.reply);
      return ready;
    }));
  if (begun) return { sessionId, messageId: planned.reply.id, startedAt, existed: false };
  const same = await earlierReply(ports, request);
  if (same) return same;
  throw busy(session);
}

/** Takes a reply and launches it; no repair of this process takes it for one that nobody makes meanwhile. */
async function beginning<T>({ beginning }: Running, sessionId: number, work: () => Promise<T>): Promise<T> {
  const one = { sessionId };
  beginning.add(one);
  try {
    return await work();
  } finally {
    beginning.delete(one);
  }
}

/** The session once an ended reply has released it: only a released session can be continued. */
async function settledSession(ports: ChatPorts, tenantId: number, sessionId: number): Promise<SessionRecord> {
  const until = ports.clock.steady() + releaseWaitMs;
  for (;;) {
    const session = await sessionOf(ports, tenantId, sessionId);
    const { generation } = session;
    if (!generation || ports.clock.steady() >= until) return session;
    const message = await ports.store.message(tenantId, generation.messageId);
    if (!message || message.state === 'Streaming') return session;
    await ports.clock.sleep(releasePollMs);
  }
}

function launch(
  ports: ChatPorts,
  running: Running,
  session: SessionRecord,
  message: MessageRecord,
  prepare?: (live: LiveReply) => void,
): void {
  const live = new LiveReply(ports, session, message);
  live.begin();
  prepare?.(live);
  const done = generateToEnd(ports, running, live).finally(() => running.replies.delete(session.id));
  running.replies.set(session.id, { live, done });
}

/** Takes a reply that waits and launches it; false where somebody else has taken it. @throws Fault STORE_UNAVAILABLE */
async function takeParked(
  ports: ChatPorts,
  running: Running,
  session: SessionRecord,
  message: MessageRecord,
  prepare: (live: LiveReply) => void,
): Promise<boolean> {
  const owner = await ports.nodes.hold();
  return beginning(running, session.id, async () => {
    const held = await ports.store.transfer(session, owner);
    if (held) launch(ports, running, held, message, prepare);
    return held !== null;
  });
}

async function stop(ports: ChatPorts, running: Running, tenantId: number, sessionId: number): Promise<MessageRecord> {
  const session = await sessionOf(ports, tenantId, sessionId);
  const { generation } = session;
  if (!generation) throw nothingRuns();
  if (generation.owner !== null) await stopOwned(ports, running, session, generation.messageId);
  // The reply may have started to wait for a decision in the meantime.
  const after = await sessionOf(ports, tenantId, sessionId);
  if (after.generation?.messageId === generation.messageId && after.generation.owner === null)
    await endReply(ports, after, 'Stopped');
  const stopped = await ports.store.message(tenantId, generation.messageId);
  if (!stopped) throw nothingRuns();
  return stopped;
}

interface Told {
  tenantId: number;
  sessionId: number;
  decision: ApprovalDecision;
}

async function takeDecision(
  ports: ChatPorts,
  running: Running,
  { tenantId, sessionId, decision }: Told,
): Promise<boolean> {
  const { store } = ports;
  const session = await store.session(tenantId, sessionId);
  // The reply that asked has ended.
  if (!session?.generation) return true;
  if (session.generation.owner !== null || running.closing.signal.aborted) return false;
  const message = await store.message(tenantId, session.generation.messageId);
  if (!message?.steps.at(-1)?.toolCalls.some((call) => call.escalationId === decision.escalationId)) return true;
  return takeParked(ports, running, session, message, (live) => decide(live, decision));
}

interface Answered {
  tenantId: number;
  sessionId: number;
  results: readonly ClientResult[];
}

async function takeAnswers(ports: ChatPorts, running: Running, { tenantId, sessionId, results }: Answered) {
  const { store, clock } = ports;
  for (let waited = 0; ; waited += beginPollMs) {
    if (running.closing.signal.aborted) throw closing();
    const session = await sessionOf(ports, tenantId, sessionId);
    const { generation } = session;
    if (!generation) throw nothingRuns();
    const message = await store.message(tenantId, generation.messageId);
    const open = message ? awaitingClient(message) : [];
    if (generation.owner === null) {
      if (!message || !open.some(({ id }) => results.some(({ toolCallId }) => toolCallId === id))) return;
      if (await takeParked(ports, running, session, message, (live) => takeResults(live, results))) return;
    }
    // The reply may be about to park, or another request is giving it a decision.
    if (waited >= beginWaitMs) throw busy(session);
    await clock.sleep(beginPollMs);
  }
}

async function repair(ports: ChatPorts, running: Running): Promise<number> {
  const { store, nodes } = ports;
  // In this order: what a node takes that comes to life in between is not among these.
  const held = await store.held();
  const alive = new Set(await nodes.alive());
  let ended = 0;
  for (const session of held) {
    if (isLost(ports, running, session, alive) && (await endReply(ports, session, 'Interrupted'))) ended++;
  }
  return ended;
}

async function sessionOf({ store }: ChatPorts, tenantId: number, id: number): Promise<SessionRecord> {
  const session = await store.session(tenantId, id);
  if (session) return session;
  throw new Fault('NOT_FOUND', `There is no chat session ${id}.`, { hint: 'List them with GET /api/chat/sessions.' });
}

/** The reply of an earlier request with this key. @throws Fault IDEMPOTENCY_MISMATCH when that request differed */
async function earlierReply(ports: ChatPorts, request: ReplyRequest): Promise<StartedReply | null> {
  const { store, clock } = ports;
  const { tenantId, sessionId, idempotencyKey } = request;
  if (idempotencyKey === undefined) return null;
  let reply = await store.replyByKey(tenantId, sessionId, idempotencyKey);
  for (let waited = 0; !reply; waited += beginPollMs) {
    // The other request may be about to store its reply.
    const session = await store.session(tenantId, sessionId);
    if (session?.generation?.idempotencyKey !== idempotencyKey) return null;
    if (waited >= beginWaitMs) throw busy(session);
    await clock.sleep(beginPollMs);
    reply = await store.replyByKey(tenantId, sessionId, idempotencyKey);
  }
  if (!(await isRepeat(ports, request, reply)))
    throw new Fault('IDEMPOTENCY_MISMATCH', 'This idempotency key came with another message, or other settings.', {
      hint: 'Use a new key for a new message, and the same one only to repeat the very same request.',
    });
  return { sessionId, messageId: reply.id, startedAt: reply.startedAt, existed: true };
}

/** Whether a request asks what the reply of its key was made for. */
async function isRepeat({ store }: ChatPorts, request: ReplyRequest, reply: MessageRecord): Promise<boolean> {
  const { message, askedDigest } = request;
  if (askedDigest !== undefined && reply.askedDigest !== undefined) return askedDigest === reply.askedDigest;
  const question = reply.parentId === null ? null : await store.message(reply.tenantId, reply.parentId);
  return message === null || message === question?.content;
}

/** More events than a node that dies can have told since it saved last: whoever heard those is told the next part, too. */
const unsavedEvents = 10_000;

/** Stores the messages of a plan in the session that is held for it. */
async function begin(
  ports: ChatPorts,
  session: SessionRecord,
  { question, reply, continues }: Plan,
  startedAt: number,
) {
  const { store, sink } = ports;
  const wasCut = reply.state === 'Interrupted' || reply.state === 'Stopped';
  const streaming = { state: 'Streaming', startedAt, error: null, truncated: false, stopRequested: false } as const;
  // The last event before the cut took an index that is not stored; this part continues after it.
  const index = continues ? reply.index + 1 + (wasCut ? unsavedEvents : 0) : reply.index;
  const message: MessageRecord = structuredClone({ ...reply, ...streaming, index });
  try {
    if (question) await store.insert(question);
    if (continues) await store.patch(reply.tenantId, reply.id, { ...streaming, index, options: reply.options });
    else await store.insert(message);
    const changed = await store.change(session.tenantId, session.id, {
      set: { activeMessageId: reply.id, ...titleOf(session, question) },
      add: { messages: (question ? 1 : 0) + (continues ? 0 : 1) },
    });
    if (question) await sink.message(question);
    await sink.session(changed ?? session);
    return { session: changed ?? session, reply: message };
  } catch (error) {
    await endReply(ports, session, 'Interrupted').catch(() => false);
    throw error;
  }
}

/** Stops a local generation. Asks another node to stop its own, and waits until it has stopped or died. */
async function stopOwned(ports: ChatPorts, running: Running, held: SessionRecord, messageId: number): Promise<void> {
  const { store, clock, nodes } = ports;
  let session = held;
  for (let waited = 0; waited < stopWaitMs; waited += stopPollMs) {
    // The generation may be about to start.
    const here = running.replies.get(session.id);
    if (here?.live.message.id === messageId) {
      here.live.abort.abort(new StopReply('Stopped'));
      return here.done;
    }
    const alive = new Set(await nodes.alive());
    if (isLost(ports, running, session, alive) && (await endReply(ports, session, 'Stopped'))) return;
    await store.patch(session.tenantId, messageId, { stopRequested: true });
    await clock.sleep(stopPollMs);
    const now = await store.session(session.tenantId, session.id);
    if (now?.generation?.messageId !== messageId) return;
    session = now;
  }
}

/** Whether no living process generates the session's reply any more. */
function isLost(ports: ChatPorts, running: Running, session: SessionRecord, alive: ReadonlySet<string>): boolean {
  const owner = session.generation?.owner ?? '';
  // One that is made here is of its maker, also when others have taken this node for dead and nobody has ended it yet.
  const here = running.replies.get(session.id)?.live;
  if (here?.message.id === session.generation?.messageId && !here?.abort.signal.aborted) return false;
  return owner === ports.nodes.own() ? isForgotten(running, ports, session) : !alive.has(owner);
}

/** A generation of this process without a worker, e.g. because its first write failed. */
const isForgotten = ({ replies, beginning }: Running, { clock }: ChatPorts, { id, generation }: SessionRecord) =>
  !replies.has(id) &&
  ![...beginning].some(({ sessionId }) => sessionId === id) &&
  Math.abs(clock.now() - (generation?.startedAt ?? 0)) > forgottenMs;
const forgottenMs = 60_000;

const closing = () =>
  new Fault('SHUTTING_DOWN', 'This server is shutting down.', { hint: 'Try again in a moment.', retryAfterSeconds: 2 });

const nothingRuns = () =>
  new Fault('CONFLICT', 'No reply of this session is being made.', {
    hint: 'Send a message with POST /api/chat/sessions/{sessionId}/chat/stream.',
  });
