// Carries what waits in the outboxes of channels: messages go out, and what came in becomes a message, a chat or a decision.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Send } from '../../kernel/http-send.ts';
import type { Logger } from '../../kernel/logger.ts';
import { mailOf } from '../../outside/channels/email.ts';
import { services } from '../../outside/channels/services.ts';
import type { OutMessage, Setup } from '../../outside/channels/types.ts';
import { attemptDelivery, type Outcome } from '../../outside/deliveries/attempt.ts';
import { type Attempted, createCourier } from '../../outside/deliveries/courier.ts';
import type { Mailer } from '../../ports/mail.ts';
import type { UnitWork } from '../../ports/org-units.ts';
import type { Gate } from '../../ports/queues.ts';
import type { TenantPolicy } from '../../ports/tenant-policy.ts';
import { type ChannelBook, notAllowed } from './book.ts';
import { buttonsOf } from './buttons.ts';
import type { ChannelOutbox } from './outbox.ts';
import type { ChannelDeliveryDoc, ChannelDoc } from './record.ts';

export interface CourierDeps {
  book: ChannelBook;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  nodeId: string;
  alone: boolean;
  gate: Gate;
  sendOf(tenantId: number): Send;
  mailer: Pick<Mailer, 'send' | 'where'>;
  maySend: ChannelOutbox['maySend'];
  policyOf(work: UnitWork): Promise<Pick<TenantPolicy, 'allowExternalChannels'>>;
  /** Makes of what came in what it is here. @throws Fault where that is not possible now, or not at all */
  settle(channel: ChannelDoc, delivery: ChannelDeliveryDoc): Promise<Partial<ChannelDeliveryDoc>>;
  /** Told before a channel is switched off. */
  disabling(channel: ChannelDoc, delivery: ChannelDeliveryDoc, why: string): Promise<void>;
}

const timeoutMs = 15_000;
const mostRead = 64 * 1024;
/** Deliveries in a row that failed with all their attempts, after which a channel is switched off. */
const mostFailures = 5;

export const createChannelCourier = (deps: CourierDeps) =>
  createCourier<ChannelDoc, ChannelDeliveryDoc>({
    ...deps,
    deliveries: deps.book.deliveries,
    senderField: 'channelId',
    senderOf: (delivery) => senderOf(deps, delivery),
    timeoutMs: () => timeoutMs,
    attempt: (channel, delivery, stop) =>
      delivery.direction === 'Inbound' ? take(deps, channel, delivery) : send(deps, channel, delivery, stop),
    ended: (channel, delivery) => noteEnd(deps, channel, delivery),
    tell: deps.book.tell,
  });

/** The channel of a delivery, or why nothing is done with it any more. */
async function senderOf({ book, maySend, policyOf }: CourierDeps, { channelId, tenantId, topics }: ChannelDeliveryDoc) {
  const channel = await book.channels.findOne({ _id: channelId, tenantId });
  if (!channel) return 'The channel was deleted.';
  if (!channel.enabled) return channel.lastError ?? 'The channel is switched off.';
  if (!(await policyOf(channel)).allowExternalChannels) return notAllowed;
  if (topics !== null && !(await maySend(channel, topics)))
    return 'Who set the channel up may not see this event, or what it was about is gone.';
  return channel;
}

async function send(
  deps: CourierDeps,
  channel: ChannelDoc,
  delivery: ChannelDeliveryDoc,
  stop: AbortSignal,
): Promise<Attempted<ChannelDeliveryDoc>> {
  const { book, clock } = deps;
  const service = services[channel.kind];
  const setup = book.setupOf(channel);
  const problem = service.cannotSend(setup);
  if (problem !== null) return { ...unanswered, kind: 'gone', error: problem };
  const message = messageOf(book, channel, delivery, setup);
  if (channel.kind === 'Email') return sendMail(deps, channel, setup, message, stop);
  const { url, headers, body } = service.call(setup, message, clock.now());
  let externalId: string | null = null;
  const judge = (text: string) => {
    const said = service.said(text);
    externalId = said.externalId;
    return said.error;
  };
  const attempt = {
    ...{
      send: deps.sendOf(channel.tenantId),
      clock,
      url,
      timeoutMs,
      mostRead,
      judge,
      stop,
      body: JSON.stringify(body),
    },
    headers: { 'user-agent': 'Rivulet', ...headers },
  };
  const { responseExcerpt: _, ...outcome } = await attemptDelivery(attempt);
  const told = {
    ...outcome,
    error: outcome.error?.replace('The receiver', channel.kind) ?? null,
    responseExcerpt: null,
  };
  return { ...told, ...(externalId !== null && { more: { externalId } }) };
}

const unanswered: Omit<Outcome, 'kind' | 'error'> = {
  responseStatus: null,
  responseExcerpt: null,
  durationMs: 0,
  askedWait: null,
};

function messageOf(
  book: ChannelBook,
  channel: ChannelDoc,
  { outgoing, asked, threadKey }: ChannelDeliveryDoc,
  setup: Setup,
): OutMessage {
  if (outgoing === null) throw new Error('a delivery without a message');
  const { deciders = [] } = setup.settings;
  const mayAsk = asked !== null && deciders.length > 0 && channel.direction === 'Both';
  const buttons = mayAsk && services[channel.kind].hasButtons(setup) ? buttonsOf(book, channel, asked) : [];
  const how = mayAsk && channel.kind !== 'Ntfy' ? '\n\nDecide with a button, or answer in this thread.' : '';
  return { ...outgoing, threadKey, buttons, text: outgoing.text + how };
}

async function sendMail(
  { mailer, clock, log }: CourierDeps,
  { _id: channel, tenantId: tenant }: ChannelDoc,
  setup: Setup,
  message: OutMessage,
  stop: AbortSignal,
): Promise<Attempted<ChannelDeliveryDoc>> {
  const start = clock.steady();
  const draft = mailOf(setup, message);
  const outcome = (kind: Outcome['kind'], error: string | null): Outcome => ({
    ...unanswered,
    ...{ kind, error, durationMs: Math.max(0, Math.round(clock.steady() - start)) },
  });
  try {
    await mailer.send(draft);
    return { ...outcome('delivered', null), more: { externalId: draft.messageId } };
  } catch (error) {
    if (stop.aborted) return outcome('stopped', null);
    // What a mail server says may hold addresses, and is for the log of the operator.
    log.warn({ err: error, where: mailer.where, channel, tenant }, 'a mail of a channel could not be handed over');
    const { responseCode } = error as { responseCode?: number };
    return outcome('failed', `The mail could not be handed over${responseCode ? ` (${responseCode})` : ''}.`);
  }
}

/** Makes of what came in what it is here; a repeat after a crash changes nothing. */
async function take(
  { settle, clock }: CourierDeps,
  channel: ChannelDoc,
  delivery: ChannelDeliveryDoc,
): Promise<Attempted<ChannelDeliveryDoc>> {
  const start = clock.steady();
  const took = () => ({ ...unanswered, durationMs: Math.max(0, Math.round(clock.steady() - start)) });
  try {
    const more = await settle(channel, delivery);
    return { ...took(), kind: 'delivered', error: null, more: { status: 'Received', ...more } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // A chat that is answering is free later; what is refused stays refused.
    const isLater = error.code === 'CONFLICT' || error.code === 'SHUTTING_DOWN' || error.status >= 500;
    return { ...took(), kind: isLater ? 'failed' : 'gone', error: error.message };
  }
}

async function noteEnd(
  { book, clock, disabling }: CourierDeps,
  channel: ChannelDoc,
  delivery: ChannelDeliveryDoc,
): Promise<void> {
  const now = new Date(clock.now());
  const { _id } = channel;
  const last = { lastDeliveryStatus: delivery.status, lastDeliveryAt: now };
  const isOut = delivery.direction === 'Outbound';
  if (delivery.status !== 'Failed' || !isOut) {
    const good = delivery.status === 'Delivered' ? { failureCount: 0, lastError: null } : {};
    await book.channels.updateOne(
      { _id },
      { $set: { ...last, ...(isOut && delivery.error !== null && { lastError: delivery.error }), ...good } },
    );
    return;
  }
  const update = { $set: { ...last, lastError: delivery.error }, $inc: { failureCount: 1 } };
  const counted = await book.channels.findOneAndUpdate({ _id }, update, { returnDocument: 'after' });
  if (!counted?.enabled || counted.failureCount < mostFailures) return;
  const why = `${mostFailures} deliveries in a row failed with all their attempts.`;
  await disabling(channel, delivery, why);
  const off = { enabled: false, lastError: `Switched off: ${why} ${delivery.error ?? ''}`.trim(), updatedAt: now };
  await book.channels.updateOne({ _id, enabled: true }, { $set: off });
  book.changed(channel.tenantId);
  await book.drop(_id, why);
}
