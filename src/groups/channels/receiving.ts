// What comes in: verified, entered once, and then made a decision, a chat or a message, with its thread kept.
import type { Chat } from '../../../runtime/chat/chat.ts';
import type { Engine } from '../../../runtime/engine.ts';
import type { RunStore } from '../../../runtime/ports.ts';
import { type EscalationRecord, escalationClosed } from '../../../runtime/state/escalation.ts';
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { services } from '../../outside/channels/services.ts';
import { cut } from '../../outside/channels/texts.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { mayChangeIn } from '../../ports/in-project.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { ChatDocuments } from '../chat/documents.ts';
import type { Inbox } from '../messages/inbox.ts';
import type { ChannelBook } from './book.ts';
import { type ChannelOutbox, isEnded, messageKeyOf, resolvedKeyOf } from './outbox.ts';
import type { Asked, ChannelDeliveryDoc, ChannelDoc, ChannelThreadDoc, Incoming } from './record.ts';
import { settingsOf } from './settings.ts';

export interface ReceivingDeps {
  book: ChannelBook;
  outbox: Pick<ChannelOutbox, 'answer' | 'replied'>;
  clock: Clock;
  makerOf(channel: ChannelDoc): Promise<Caller | null>;
  /** The people behind who made a channel. */
  people(who: { tenantId: number; identityId: number | null; startedByUserId: number | null }): Promise<IdentityDoc[]>;
  identities: PerTenant<IdentityDoc>;
  acting: Pick<Acting, 'allow'>;
  inbox: Pick<Inbox, 'send'>;
  chat: Pick<Chat, 'start'>;
  messages: ChatDocuments['messages'];
  /** Begins a chat of a caller's. */
  beginChat(
    caller: Caller,
    about: { title: string; clientId: string; identityId: number; projectId: number | null },
  ): Promise<number>;
  engine: Pick<Engine, 'resolveEscalation'>;
  escalations: Pick<RunStore['escalations'], 'get'>;
}

/** Answers of a chat in one thread within the time: two that answer each other by themselves fall silent. */
const mostTurns = 20;
const turnsWithinMs = 600_000;

type Settled = Partial<ChannelDeliveryDoc>;

export function createReceiving(deps: ReceivingDeps) {
  return {
    /** Makes of what came in what it is here. @throws Fault */
    async settle(channel: ChannelDoc, delivery: ChannelDeliveryDoc): Promise<Settled> {
      const { incoming } = delivery;
      if (incoming === null) throw new Error('a delivery of nothing');
      const maker = await deps.makerOf(channel);
      if (!maker?.permissions.has('ChannelsWrite'))
        throw new Fault('FORBIDDEN', 'Who set the channel up is not active any more, or may not have channels.', {
          hint: 'Somebody who may changes the channel: then it is theirs.',
        });
      const asked = incoming.pressed ?? (await questionOf(deps, channel, incoming));
      if (asked) return decide(deps, { channel, delivery, incoming, maker }, asked);
      const agent = await answering(deps, channel);
      return agent === null
        ? leaveMessage(deps, { channel, delivery, incoming, maker })
        : talk(deps, { channel, delivery, incoming, maker }, agent);
    },
  };
}

interface Taking {
  channel: ChannelDoc;
  delivery: ChannelDeliveryDoc;
  incoming: Incoming;
  maker: Caller;
}

/** The question that a message answers: the one that it stands beneath. */
async function questionOf(
  { book }: ReceivingDeps,
  { _id: channelId, tenantId }: ChannelDoc,
  { about, text }: Incoming,
) {
  if (about === null) return null;
  const found = await book.deliveries.findOne({ tenantId, channelId, externalId: about, direction: 'Outbound' });
  return found?.asked ? { ...found.asked, said: text } : null;
}

/** Takes a decision, once: whoever comes second is told who was first. */
async function decide(
  deps: ReceivingDeps,
  taking: Taking,
  about: NonNullable<Incoming['pressed']> | (Asked & { said: string }),
): Promise<Settled> {
  const { channel, delivery, incoming, maker } = taking;
  const { escalationId, round } = about;
  const settled = { escalationId };
  const tell = (text: string) => answerTo(deps, taking, `decided:${delivery._id}`, text);
  const { deciders = [] } = settingsOf(channel.settingsJson);
  if (!deciders.includes('*') && !deciders.includes(incoming.from.id)) {
    await tell(
      `${incoming.from.name}, you may not decide here: ${incoming.from.id} is not among the deciders of this channel.`,
    );
    return { ...settled, error: `${incoming.from.id} is not among the deciders.` };
  }
  const escalation = await deps.escalations.get(escalationId, channel.tenantId);
  if (
    escalation?.tenantId !== channel.tenantId ||
    !maker.permissions.has('EscalationsResolve') ||
    !mayChangeIn(maker, escalation.projectId)
  )
    throw new Fault('FORBIDDEN', 'Who set the channel up may not decide this.', {
      hint: 'Decide it in the dashboard.',
    });
  const decision = 'option' in about ? (await optionsOf(deps, channel, about))[about.option] : decisionIn(about);
  if (decision === undefined) {
    await tell(
      about && 'isApproval' in about && about.isApproval
        ? 'Answer approve, or reject and why.'
        : 'This option is not there any more.',
    );
    return { ...settled, error: 'It is no decision.' };
  }
  const key = `channel:${delivery._id}`;
  if (
    escalation.resolvedKey !== key &&
    (escalationClosed(escalation.status) || escalation.revisionRoundsUsed !== round)
  ) {
    await tell(lateWords(escalation));
    return { ...settled, error: lateWords(escalation) };
  }
  const by = cut(`${incoming.from.name} (${channel.kind}, ${channel.name})`, 200);
  try {
    const decided = await deps.engine.resolveEscalation(escalationId, { decision, by, mode: 'Human', key });
    await answerTo(
      deps,
      taking,
      resolvedKeyOf(escalationId),
      `**${decided.decision}**, decided by ${decided.decidedBy}.`,
    );
    return { ...settled, runId: decided.runId };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'INVALID_TRANSITION') throw error;
    const now = await deps.escalations.get(escalationId, channel.tenantId);
    const words = lateWords(now ?? escalation);
    await tell(words);
    return { ...settled, error: words };
  }
}

const lateWords = ({ decidedBy, decision, status }: EscalationRecord): string =>
  decidedBy === null || decision === null
    ? `This question is not open any more (${status}).`
    : `This is decided already: ${cut(decision, 200)}, by ${decidedBy}.`;

/** The options of a question as it was put in this channel. */
async function optionsOf(
  { book }: ReceivingDeps,
  { _id: channelId, tenantId }: ChannelDoc,
  { escalationId, round }: NonNullable<Incoming['pressed']>,
) {
  const asked = { tenantId, channelId, escalationId, direction: 'Outbound' as const, 'asked.round': round };
  return (await book.deliveries.findOne(asked))?.asked?.options ?? [];
}

/** What an answer decides: an option by its number or name, the words themselves where any do; undefined for none. */
export function decisionIn({
  said,
  options,
  isApproval,
}: Pick<Asked, 'options' | 'isApproval'> & { said: string }): string | undefined {
  const text = said.trim();
  if (isApproval) {
    if (/^(approved?|yes|ok)[.!]?$/i.test(text)) return 'approve';
    return /^(reject(ed)?|no|refused?|deny|denied)\b/i.test(text) ? text : undefined;
  }
  const byNumber = /^\d{1,2}[.)]?$/.test(text) ? options[Number.parseInt(text, 10) - 1] : undefined;
  return byNumber ?? options.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text;
}

/** The agent that answers in a channel; null where what comes in goes into an inbox. */
async function answering(
  { identities }: ReceivingDeps,
  { tenantId, identityId, settingsJson }: ChannelDoc,
): Promise<number | null> {
  const { inbound } = settingsOf(settingsJson);
  if (identityId === null || inbound === 'message') return null;
  const identity = await identities(tenantId).findOne({ _id: identityId, deletedAt: null });
  return identity && (inbound === 'chat' || identity.type !== 'Human') ? identityId : null;
}

/** Says it in the chat of its thread, where the identity answers; the answer goes out when it is there. */
async function talk(
  deps: ReceivingDeps,
  { channel, delivery, incoming, maker }: Taking,
  identityId: number,
): Promise<Settled> {
  const { book, chat, messages, outbox } = deps;
  const { tenantId, projectId } = channel;
  if (!maker.permissions.has('ChatWrite'))
    throw new Fault('FORBIDDEN', 'Who set the channel up may not chat.', {
      hint: 'They take the permission ChatWrite.',
    });
  await requireQuiet(deps, delivery);
  await deps.acting.allow(maker, identityId);
  const thread = await threadOf(deps, channel, delivery);
  const title = cut(`${channel.name}: ${incoming.text}`, 80);
  const begin = () => deps.beginChat(maker, { title, clientId: `channel:${channel._id}`, identityId, projectId });
  const chatSessionId = thread.chatSessionId ?? (await mapped(book, thread, 'chatSessionId', begin));
  // Several people may write in one thread.
  const message = `${incoming.from.name}: ${incoming.text}`;
  const { messageId } = await chat.start({
    tenantId,
    sessionId: chatSessionId,
    message,
    idempotencyKey: `channel:${delivery._id}`,
  });
  await book.deliveries.updateOne({ _id: delivery._id }, { $set: { replyId: messageId, chatSessionId } });
  // One that was quicker than this write has been told of already.
  const reply = await messages(tenantId).findOne({ _id: messageId });
  if (reply && isEnded(reply)) await outbox.replied(tenantId, { ...reply, id: messageId });
  return { replyId: messageId, chatSessionId };
}

/** @throws Fault RATE_LIMITED where a thread has had too many turns lately */
async function requireQuiet(
  { book, clock }: ReceivingDeps,
  { _id, tenantId, channelId, threadKey }: ChannelDeliveryDoc,
): Promise<void> {
  const lately = { createdAt: { $gt: new Date(clock.now() - turnsWithinMs) }, _id: { $ne: _id } };
  const turns = { tenantId, channelId, threadKey, direction: 'Inbound' as const, replyId: { $ne: null }, ...lately };
  if ((await book.deliveries.countDocuments(turns)) < mostTurns) return;
  throw new Fault('RATE_LIMITED', `More than ${mostTurns} messages were answered in this thread within ten minutes.`, {
    hint: 'Two that answer each other by themselves would go on for ever. Go on later.',
  });
}

/** Puts it into the inbox of the channel's identity, or of who set the channel up. */
async function leaveMessage(deps: ReceivingDeps, { channel, delivery, incoming }: Taking): Promise<Settled> {
  const { book, inbox, people } = deps;
  const { tenantId, createdByUserId: startedByUserId, createdByIdentityId } = channel;
  const [owner] = await people({ tenantId, identityId: createdByIdentityId, startedByUserId });
  if (!owner)
    throw new Fault('NOT_FOUND', 'Nobody is there to have this message.', { hint: 'Give the channel an identity.' });
  const thread = await threadOf(deps, channel, delivery);
  const { message } = await inbox.send({
    tenantId,
    senderId: owner._id,
    recipientIds: [channel.identityId ?? owner._id],
    content: `**${incoming.from.name}** (${channel.kind}, ${channel.name}):\n\n${incoming.text}`,
    anyway: true,
    projectId: channel.projectId,
    threadId: thread.messageThreadId,
    threadTitle: cut(`${channel.name}: ${incoming.text}`, 80),
    key: messageKeyOf(channel._id, delivery._id),
  });
  if (thread.messageThreadId === null) await mapped(book, thread, 'messageThreadId', async () => message.threadId);
  return { messageId: message.id };
}

/** The thread that something came in by; without one of the service's each message begins its own. */
async function threadOf(
  { book, clock }: ReceivingDeps,
  { _id: channelId, tenantId }: ChannelDoc,
  { _id: deliveryId, threadKey }: ChannelDeliveryDoc,
): Promise<ChannelThreadDoc> {
  const _id = `${channelId}/${threadKey ?? `delivery:${deliveryId}`}`;
  const made = {
    _id,
    tenantId,
    channelId,
    threadKey,
    chatSessionId: null,
    messageThreadId: null,
    createdAt: new Date(clock.now()),
  };
  try {
    await book.threads.insertOne(made);
    return made;
  } catch (error) {
    const known = isDuplicate(error) && (await book.threads.findOne({ _id }));
    if (known) return known;
    throw error;
  }
}

/** What a thread is here; of two that find out at once the first is right. */
async function mapped(
  book: ChannelBook,
  { _id }: ChannelThreadDoc,
  field: 'chatSessionId' | 'messageThreadId',
  make: () => Promise<number>,
): Promise<number> {
  const made = await make();
  await book.threads.updateOne({ _id, [field]: null }, { $set: { [field]: made } });
  return (await book.threads.findOne({ _id }))?.[field] ?? made;
}

/** Says something where something came in; not where the channel only listens. */
async function answerTo(
  { outbox }: ReceivingDeps,
  { channel, delivery, incoming }: Taking,
  key: string,
  text: string,
): Promise<void> {
  const threadKey = (services[channel.kind].threadsBegin ? incoming.about : null) ?? delivery.threadKey;
  const message = { title: null, text, priority: 'Normal' as const, linkUrl: null };
  await outbox.answer(channel._id, channel.tenantId, { key, message, threadKey, escalationId: null });
}
