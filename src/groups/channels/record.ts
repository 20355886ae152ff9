// Channels and their traffic as they are kept; a delivery that has not ended is its own place in the outbox.
import type { OutMessage } from '../../outside/channels/types.ts';
import type { Waiting } from '../../outside/deliveries/outbox.ts';
import { defineCollection, type Entity } from '../../ports/db.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { ChannelDeliveryDto, ChannelDto } from './dto.ts';

export interface ChannelDoc extends Stored<Omit<ChannelDto, 'hasUrl' | 'hasSecret' | 'inboundPath' | 'identityName'>> {
  /** Addresses of webhooks are secrets: who has one writes there. */
  sealedUrl: string | null;
  sealedSecret: string | null;
  target: string | null;
  /** Who made it: what they may not see is not sent, and what comes in is done by their rights. */
  createdByUserId: number | null;
  createdByIdentityId: number | null;
}

export const channelRecord = record<ChannelDoc>('channels', {
  noun: 'channel',
  list: 'GET /api/channels',
  order: 'name',
  staysSmall: true,
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, name: 1 } },
    { keys: { tenantId: 1, createdAt: 1 } },
    { keys: { tenantId: 1, enabled: 1, name: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { tenantId: 1, identityId: 1 } },
  ],
});

/** A question of a run, as a message asks it. */
export interface Asked {
  escalationId: number;
  /** Of its revisions: a question that was put anew is another one. */
  round: number;
  options: string[];
  isApproval: boolean;
}

/** What somebody said or pressed. */
export interface Incoming {
  /** The service's id of the callback. */
  id: string;
  text: string;
  from: { id: string; name: string };
  /** The message that it answers, by the service's id. */
  about: string | null;
  /** The button of a question. */
  pressed: { escalationId: number; round: number; option: number } | null;
}

export interface ChannelDeliveryDoc extends Stored<ChannelDeliveryDto>, Waiting {
  _id: number;
  tenantId: number;
  status: Waiting['status'];
  attempt: number;
  error: string | null;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  projectId: number | null;
  /** Unique in the channel: an event, a callback, a reply has one delivery. */
  key: string;
  outgoing: Omit<OutMessage, 'buttons' | 'threadKey'> | null;
  incoming: Incoming | null;
  asked: Asked | null;
  /** The question that this is about, whether it asks, answers or tells of its end. */
  escalationId: number | null;
  /** The reply of a chat that answers what came in. */
  replyId: number | null;
  /** The event's topics: who may not follow them does not get it. Null for what is not sent for an event. */
  topics: string[] | null;
  /** The routines that led to its event, oldest first. */
  lineage: number[];
}

export const channelDeliveryRecord = record<ChannelDeliveryDoc>('channel_deliveries', {
  noun: 'delivery',
  list: 'GET /api/channels/{id}/deliveries',
  order: '-id',
  inProject: true,
  lacks: ['updatedAt'],
  indexes: [
    { keys: { channelId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, channelId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, channelId: 1, status: 1, createdAt: -1 } },
    { keys: { tenantId: 1, status: 1, createdAt: 1 } },
    { keys: { tenantId: 1, channelId: 1, externalId: 1 } },
    { keys: { tenantId: 1, channelId: 1, threadKey: 1 } },
    { keys: { tenantId: 1, channelId: 1, escalationId: 1 } },
    { keys: { tenantId: 1, replyId: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { due: 1 } },
    { keys: { createdAt: 1 } },
  ],
});

/** A thread of a service, and what it is here: one, however many of its messages come in at once. */
export interface ChannelThreadDoc extends Entity {
  /** `<channel>/<thread>`. */
  _id: string;
  tenantId: number;
  channelId: number;
  threadKey: string | null;
  chatSessionId: number | null;
  messageThreadId: number | null;
  createdAt: Date;
}

export const channelThreadSpec = defineCollection<ChannelThreadDoc>({
  name: 'channel_threads',
  indexes: [{ keys: { tenantId: 1, messageThreadId: 1 } }, { keys: { channelId: 1 } }],
});
