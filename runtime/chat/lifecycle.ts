// Ends of a reply: complete, stopped, failed or interrupted. Its text is kept in each case, and the session is
// released.
import { toFault } from '../../src/kernel/fault.ts';
import { generate } from './generate.ts';
import { grown, type LiveReply, StopReply } from './live.ts';
import type { ChatPorts } from './ports.ts';
import { resultJson } from './prompt.ts';
import type { MessageRecord, MessageState, ReplyError, SessionRecord } from './records.ts';
import { questionOf } from './start.ts';
import { makeTitle } from './titles.ts';

/** Generations and follow-up tasks of this process. */
export interface Running {
  /** Generations by session id. */
  replies: Map<number, { live: LiveReply; done: Promise<void> }>;
  /** One each for what is being taken and launched: two requests may be at it for one session. */
  beginning: Set<{ sessionId: number }>;
  /** Background tasks after a reply, e.g. titles. */
  tasks: Set<Promise<void>>;
  closing: AbortController;
}

interface Ending {
  state: MessageState;
  error: ReplyError | null;
}

/** Generates a reply and ends it. Never rejects. */
export async function generateToEnd(ports: ChatPorts, running: Running, live: LiveReply): Promise<void> {
  const begunAt = ports.clock.steady();
  const tokensBefore = tokensOf(live.message);
  try {
    const ending = await outcomeOf(ports, live);
    await live.settle();
    live.message.responseTimeMs += ports.clock.steady() - begunAt;
    // The process that ended this reply may have done so before the last question was raised.
    if (ending === 'lost') return await withdrawQuestions(ports, live.message);
    const tokens = tokensOf(live.message) - tokensBefore;
    if (ending === 'waiting') return await park(ports, live, tokens);
    await finish(ports, live, ending, tokens);
    const firstTokenSeconds = live.firstTokenAt === null ? null : (live.firstTokenAt - begunAt) / 1000;
    const { session, message } = live;
    const seconds = (ports.clock.steady() - begunAt) / 1000;
    ports.onEnded?.({ session, message, state: ending.state, seconds, firstTokenSeconds });
    if (ending.state === 'Complete') afterwards(ports, running, live);
  } catch (error) {
    // The store is out of reach: the message stays as last saved until `repair` ends it.
    live.log.error({ err: error }, 'a reply could not be ended');
  }
}

async function outcomeOf(ports: ChatPorts, live: LiveReply): Promise<Ending | 'waiting' | 'lost'> {
  try {
    const outcome = await generate(ports, live);
    // A stop may have arrived while the reply was parking.
    live.abort.signal.throwIfAborted();
    return outcome === 'done' ? { state: 'Complete', error: null } : 'waiting';
  } catch (error) {
    const reason: unknown = live.abort.signal.aborted ? live.abort.signal.reason : error;
    if (reason instanceof StopReply) return reason.state === null ? 'lost' : endingBy(reason.state);
    const { code, message, hint } = toFault(reason);
    if (code === 'INTERNAL_ERROR') live.log.error({ err: reason }, 'a reply failed');
    return { state: 'Failed', error: { code, message, hint } };
  }
}

const endingBy = (state: 'Stopped' | 'Interrupted'): Ending => ({
  state,
  error: state === 'Stopped' ? null : interrupted,
});

const interrupted: ReplyError = {
  code: 'SHUTTING_DOWN',
  message: 'The server stopped in the middle of this reply.',
  hint: 'Continue it with POST /api/chat/sessions/{sessionId}/chat/stream without a message.',
};

/**
 * Stores the end, releases the session, then publishes: in this order, so that a client that sees the end can ask
 * again.
 */
async function finish(ports: ChatPorts, live: LiveReply, { state, error }: Ending, tokens: number): Promise<void> {
  const { message } = live;
  await withdrawQuestions(ports, message);
  const stored = await ports.store.write(message, { ...ended(message), state, error });
  if (!stored) return;
  Object.assign(message, stored);
  await ports.sink.message(message);
  const session = await ports.store.release(live.session, { add: { tokens } });
  if (session) live.session = session;
  live.emit({ type: state === 'Failed' || state === 'Interrupted' ? 'Error' : 'Completed', message });
  if (session) await ports.sink.session(session);
}

/** Stored fields of a reply that was cut, so that it can be continued: its questions to people are asked again then. */
function ended(message: MessageRecord): Partial<MessageRecord> {
  const { steps = [], ...kept } = grown(message);
  const said = steps.filter(
    ({ text, reasoning, toolCalls }) => text !== '' || reasoning !== '' || toolCalls.length > 0,
  );
  for (const call of said.at(-1)?.toolCalls ?? []) {
    if (call.status !== 'AwaitingApproval' && call.status !== 'AwaitingClient') continue;
    const isLost = call.asked?.once === true;
    Object.assign(call, isLost ? lostCall : { status: 'Pending', escalationId: null });
    delete call.asked;
  }
  return { ...kept, steps: said, truncated: message.truncated };
}

/** A call that was under way while it asked, and cannot be made again. */
const lostCall = {
  status: 'Failed',
  resultJson: resultJson('The reply ended while this call asked a person: nobody knows whether the call took effect.'),
  durationMs: 0,
} as const;

/**
 * Parks a reply whose calls wait for a person or a client: it stays open, no process holds it, and its state is
 * published.
 */
async function park({ store, sink }: ChatPorts, live: LiveReply, tokens: number): Promise<void> {
  const { session, message } = live;
  message.index++;
  if (!(await store.write(message, grown(message)))) return;
  await store.change(session.tenantId, session.id, { add: { tokens } });
  await store.transfer(session, null);
  sink.stream(
    session,
    { messageId: message.id, index: message.index, fence: session.fence },
    { type: 'Ping', message },
  );
}

/**
 * Ends a reply that no living process generates; false when another process ended it first. Keeps the text saved last.
 */
export async function endReply(ports: ChatPorts, session: SessionRecord, state: 'Stopped' | 'Interrupted') {
  const { store, sink, nodes } = ports;
  const held = await store.transfer(session, nodes.own());
  if (!held?.generation) return false;
  await ports.abandon(held);
  const { messageId, fence } = held.generation;
  const found = await store.message(held.tenantId, messageId);
  if (found) await withdrawQuestions(ports, found);
  const message = found && (await store.write(found, { ...ended(found), ...endingBy(state) }));
  if (message) await sink.message(message);
  const all = await store.messages(held.tenantId, held.id);
  const released = await store.release(held, {
    set: {
      messageCount: all.length,
      totalTokens: all.reduce((sum, one) => sum + tokensOf(one), 0),
      ...(found ? { activeMessageId: messageId } : {}),
    },
  });
  if (message && released) {
    const index = message.index + 1;
    const type = state === 'Interrupted' ? 'Error' : 'Completed';
    sink.stream(released, { messageId, index, fence }, { type, message });
  }
  if (released) await sink.session(released);
  return released !== null;
}

/** Withdraws the open questions of a reply that ends. Call it while the message still names them. */
async function withdrawQuestions({ approvals }: ChatPorts, { steps }: MessageRecord): Promise<void> {
  for (const { status, escalationId } of steps.at(-1)?.toolCalls ?? []) {
    if (status === 'AwaitingApproval' && escalationId !== null) await approvals.withdraw(escalationId);
  }
}

const tokensOf = ({ usage }: MessageRecord) => usage.promptTokens + usage.completionTokens;

/** Messages after which a session keeps its first words as title when no model could write one. */
const titledWithin = 6;

/** Generates a title for a session that has none of its own. */
function afterwards(ports: ChatPorts, running: Running, live: LiveReply): void {
  if (live.session.titled || live.session.messageCount > titledWithin) return;
  const task = questionOf(ports, live.message)
    .then((question) => makeTitle(ports, live, question, running.closing.signal))
    .then((renamed) => (renamed ? ports.sink.session(renamed) : undefined))
    .catch((error: unknown) => {
      if (!running.closing.signal.aborted) live.log.debug({ err: error }, 'a session keeps its first words as title');
    })
    .finally(() => running.tasks.delete(task));
  running.tasks.add(task);
}
