// Takes callbacks of services: nothing of one is read before it is verified, and each is entered once.
import type { RequestInfo } from '../../contract/operation.ts';
import type { FileReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { services } from '../../outside/channels/services.ts';
import { cut } from '../../outside/channels/texts.ts';
import type { Received } from '../../outside/channels/types.ts';
import { forged } from '../../outside/channels/verify.ts';
import type { Courier } from '../../outside/deliveries/courier.ts';
import { newlyWaiting } from '../../outside/deliveries/outbox.ts';
import { defaultAttempts } from '../../outside/deliveries/retries.ts';
import type { UnitWork } from '../../ports/org-units.ts';
import type { TenantPolicy } from '../../ports/tenant-policy.ts';
import { blank, type ChannelBook, requireAllowed } from './book.ts';
import { pressedOf } from './buttons.ts';
import type { ChannelInboundResult } from './dto.ts';
import type { ChannelDeliveryDoc, ChannelDoc, Incoming } from './record.ts';

export interface InboundDeps {
  book: ChannelBook;
  courier: Pick<Courier<ChannelDeliveryDoc>, 'carryNow'>;
  clock: Clock;
  policyOf(work: UnitWork): Promise<Pick<TenantPolicy, 'allowExternalChannels'>>;
}

const refusedResult = {
  accepted: false,
  duplicate: false,
  deliveryId: null,
  messageId: null,
  chatSessionId: null,
  runId: null,
  challenge: null,
};

/** Takes a callback: nothing of it is read before it is verified. */
export async function receive(
  deps: InboundDeps,
  id: number,
  request: RequestInfo,
): Promise<ChannelInboundResult | FileReply> {
  const { book, clock, courier } = deps;
  const channel = await book.channels.findOne({ _id: id });
  if (!channel?.enabled || channel.direction === 'Outbound')
    throw new Fault('NOT_FOUND', `There is no channel ${id} that listens.`, {
      hint: 'See inboundPath of the channel.',
    });
  requireAllowed(await deps.policyOf(channel));
  const service = services[channel.kind];
  const received = service.receive(book.setupOf(channel), {
    header: (name) => request.header(name),
    bytes: Buffer.from(request.bytes),
    now: clock.now(),
  });
  if (received.kind === 'handshake') return inWordsOf(received.answer);
  if (received.kind === 'ignored') return answerIn(service.answer?.(received, received.why), refusedResult);
  const pressed = received.kind === 'pressed' ? pressedOf(book, channel, received.token) : null;
  if (received.kind === 'pressed' && pressed === null) throw forged();
  const incoming: Incoming = {
    ...{ id: received.id, from: received.from, about: received.about, pressed },
    text: received.kind === 'said' ? cut(received.text, 20_000) : '',
  };
  const { delivery, existed } = await enter(deps, channel, received, incoming);
  if (existed)
    return answerIn(service.answer?.(received, 'This was taken before.'), {
      ...refusedResult,
      duplicate: true,
      deliveryId: delivery._id,
    });
  await courier.carryNow(delivery);
  const now = (await book.deliveries.findOne({ _id: delivery._id })) ?? delivery;
  const { messageId, chatSessionId, runId } = now;
  const words = now.error ?? (pressed ? 'Taken. Thank you.' : 'Received.');
  return answerIn(service.answer?.(received, words), {
    ...refusedResult,
    accepted: true,
    deliveryId: now._id,
    messageId,
    chatSessionId,
    runId,
  });
}

/** What came in is entered once: the same callback again finds itself. */
function enter(
  { book, clock }: InboundDeps,
  channel: ChannelDoc,
  received: Received & { kind: 'said' | 'pressed' },
  incoming: Incoming,
) {
  const { tenantId, _id: channelId, projectId } = channel;
  const now = new Date(clock.now());
  return book.insert({
    ...blank,
    ...newlyWaiting(now),
    ...{
      tenantId,
      channelId,
      projectId,
      key: `in:${received.id}`,
      direction: 'Inbound',
      maxAttempts: defaultAttempts,
      createdAt: now,
    },
    ...{ externalId: cut(received.id, 200), threadKey: received.threadKey, incoming },
    text: incoming.pressed
      ? `${incoming.from.name} pressed a button of question ${incoming.pressed.escalationId}.`
      : cut(`${incoming.from.name}: ${incoming.text}`, 500),
  });
}

const inWordsOf = (answer: object): FileReply => ({
  kind: 'file',
  mediaType: 'application/json',
  body: JSON.stringify(answer),
});

const answerIn = (answer: object | null | undefined, result: ChannelInboundResult): ChannelInboundResult | FileReply =>
  answer == null ? result : inWordsOf(answer);
