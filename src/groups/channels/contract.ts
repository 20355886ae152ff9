// Channels: messages to and from Slack, Discord, Telegram, Mattermost, ntfy, e-mail and webhooks of one's own.
import { z } from 'zod';
import { ChannelDirection, ChannelKind, DeliveryStatus, MessagePriority } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int64, jsonObject, nothing, string } from '../../contract/types.ts';
import { ChannelDeliveryDto, ChannelDto, ChannelInboundResult } from './dto.ts';

const name = string.trim().min(1).max(100);
const url = z.url({ protocol: /^https?$/ }).max(2000);
const secret = string.min(1).max(4000);
const targetAddress = string.trim().min(1).max(300);
const eventTypes = z.array(string.trim().min(1).max(400)).max(50);
const settingsJson = string.max(10_000);
const text = string.trim().min(1).max(20_000);
const threadKey = string.trim().min(1).max(300);
const read = 'ChannelsRead';
const write = 'ChannelsWrite';

export const channels = group(
  'Channels',
  { base: '/api/channels', doc: 'Messages to and from chat services, mail and webhooks.' },
  {
    list: op.get('', {
      doc: 'List channels.',
      needs: read,
      query: listQuery(['name', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        kind: ChannelKind.optional(),
        direction: ChannelDirection.optional(),
        enabled: boolean.optional(),
        projectId: int64.optional(),
        identityId: int64.optional(),
      }),
      data: page(ChannelDto),
    }),
    create: op.post('', {
      doc: 'Add a channel. url and secret are kept sealed and never shown; a secret with several parts is a JSON object, e.g. {"signingSecret":"…","botToken":"…"}. Events that match eventTypes are sent as far as its maker may see them. What comes in goes to the identity: an agent answers in a chat, a person has it in the inbox.',
      needs: write,
      body: fields({
        name,
        kind: ChannelKind,
        direction: ChannelDirection.nullish(),
        url: url.nullish(),
        secret: secret.nullish(),
        targetAddress: targetAddress.nullish(),
        connectorId: int64.nullish(),
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        eventTypes: eventTypes.nullish(),
        minPriority: MessagePriority.nullish(),
        settingsJson: settingsJson.nullish(),
        enabled: boolean.nullish(),
      }),
      data: ChannelDto,
    }),
    get: op.get('/{id}', { doc: 'Get one channel and its inbound address.', needs: read, data: ChannelDto }),
    patch: op.patch('/{id}', {
      doc: 'Change a channel, or switch it on again. A new url needs the secret again where there is one.',
      needs: write,
      body: fields({
        name: name.optional(),
        direction: ChannelDirection.optional(),
        url: url.nullish(),
        secret: secret.nullish(),
        targetAddress: targetAddress.nullish(),
        connectorId: int64.nullish(),
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        eventTypes: eventTypes.optional(),
        minPriority: MessagePriority.optional(),
        settingsJson: settingsJson.nullish(),
        enabled: boolean.optional(),
      }),
      data: ChannelDto,
    }),
    remove: op.delete('/{id}', { doc: 'Delete a channel; what waits for it is dropped.', needs: write, data: nothing }),
    test: op.post('/{id}/test', {
      doc: 'Send a test message and wait for its first attempt: the delivery says how it ended.',
      needs: write,
      body: fields({ text: text.nullish() }),
      data: ChannelDeliveryDto,
    }),
    send: op.post('/{id}/send', {
      doc: 'Send a message, in Markdown. It is answered as it waits to be sent; with threadKey it goes into that thread.',
      needs: 'ChannelsSend',
      body: fields({
        text,
        title: string.trim().min(1).max(200).nullish(),
        priority: MessagePriority.nullish(),
        runId: int64.nullish(),
        linkUrl: url.nullish(),
        /** JSON array of `{ "name", "url" }`: links below the text. */
        attachmentsJson: settingsJson.nullish(),
        threadKey: threadKey.nullish(),
      }),
      data: ChannelDeliveryDto,
    }),
    listDeliveries: op.get('/{id}/deliveries', {
      doc: 'List what went through a channel, newest first.',
      needs: read,
      query: listQuery(['createdAtUtc', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        direction: ChannelDirection.optional(),
        status: DeliveryStatus.optional(),
      }),
      data: page(ChannelDeliveryDto),
    }),
    /** Ours. */
    resend: op.post('/{id}/deliveries', {
      doc: 'Send a delivery that failed or was dropped again. It keeps its id for the receiver, and is answered as it waits to be sent.',
      needs: 'ChannelsSend',
      body: fields({ deliveryId: int64 }),
      data: ChannelDeliveryDto,
    }),
    inbound: op.post('/{id}/inbound', {
      doc: 'Take a callback of the service, verified by its signature or secret; handshakes and buttons are answered in the words of the service.',
      needs: 'public',
      takesBytes: true,
      // Deliveries say who sent what; a caller of ours there is none.
      audit: false,
      maxBodyBytes: 256 * 1024,
      idempotent: false,
      body: jsonObject,
      // Each service expects an answer of its own.
      orFile: true,
      mediaType: '*/*',
      data: ChannelInboundResult,
    }),
  },
);
