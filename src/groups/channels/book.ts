// Channels, their traffic and their threads as courier, outbox and service read and write them.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import { secretsOf } from '../../outside/channels/services.ts';
import { cut } from '../../outside/channels/texts.ts';
import type { OutMessage, Settings, Setup } from '../../outside/channels/types.ts';
import { dropped, newlyWaiting, waiting } from '../../outside/deliveries/outbox.ts';
import { defaultAttempts } from '../../outside/deliveries/retries.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import { type Happened, parsePattern } from '../../routines/event-match.ts';
import { causing } from '../agent/routines/cause.ts';
import { createReadyMatchers, type ReadySignals } from '../ready-matchers.ts';
import { ChannelDeliveryDto } from './dto.ts';
import {
  type ChannelDeliveryDoc,
  type ChannelDoc,
  channelDeliveryRecord,
  channelRecord,
  channelThreadSpec,
} from './record.ts';
import { settingsOf } from './settings.ts';
import { priorityOf, rankOf } from './told.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  vault: Vault;
  /** Where services reach this server; null where nobody has said. */
  publicUrl: string | null;
  /** Tells other nodes of changes of channels; null where there are none. */
  signals: ReadySignals | null;
}

export interface Ready {
  channel: ChannelDoc;
  takes(event: Happened): boolean;
}

/** What goes out: of an event, of a person, or as the answer to what came in. */
export interface Draft
  extends Partial<
    Pick<
      ChannelDeliveryDoc,
      'eventType' | 'topics' | 'lineage' | 'asked' | 'escalationId' | 'runId' | 'chatSessionId' | 'threadKey'
    >
  > {
  key: string;
  message: Omit<OutMessage, 'id' | 'buttons' | 'threadKey'>;
}

const mostShown = 500;

export type ChannelBook = ReturnType<typeof createChannelBook>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections.
export function createChannelBook({ db, ids, clock, publisher, vault, publicUrl, signals }: Deps) {
  const channels = db.collection(channelRecord.spec);
  const deliveries = db.collection(channelDeliveryRecord.spec);
  const threads = db.collection(channelThreadSpec);
  const ready = createReadyMatchers({ clock, signals }, async (tenantId): Promise<Ready[]> => {
    const found = await channels.find({ tenantId, enabled: true }).toArray();
    return found.map((channel) => ({ channel, takes: matcherOf(channel) }));
  });

  /** A new delivery, or the one that has its key. */
  const insert = async (doc: Omit<ChannelDeliveryDoc, '_id' | 'guid'>) => {
    try {
      const made = { ...doc, _id: await ids.next(channelDeliveryRecord.spec.name), guid: randomUUID() };
      await deliveries.insertOne(made);
      return { delivery: made, existed: false };
    } catch (error) {
      const earlier = isDuplicate(error) && (await deliveries.findOne({ channelId: doc.channelId, key: doc.key }));
      if (earlier) return { delivery: earlier, existed: true };
      throw error;
    }
  };

  return {
    channels,
    deliveries,
    threads,
    ready: ready.known,
    read: ready.read,
    /** Forgets what is known of a tenant's channels; call after they have changed. */
    changed: ready.changed,
    insert,
    /** Puts a message into the outbox of a channel, once for its key. */
    put: async (channel: ChannelDoc, { key, message, ...draft }: Draft) => {
      const now = new Date(clock.now());
      const { tenantId, _id: channelId, projectId } = channel;
      const id = `msg_${randomUUID().replaceAll('-', '')}`;
      return insert({
        ...blank,
        ...newlyWaiting(now),
        ...{ tenantId, channelId, projectId, key, direction: 'Outbound', maxAttempts: defaultAttempts, createdAt: now },
        ...{ text: excerptOf(message), outgoing: { ...message, id } },
        ...draft,
      });
    },
    /** Ends what waits for a channel that sends nothing any more. */
    async drop(channelId: number, why: string): Promise<void> {
      const $set = dropped(new Date(clock.now()), why);
      await deliveries.updateMany({ channelId, status: { $in: waiting } }, { $set });
    },
    async tell(delivery: ChannelDeliveryDoc): Promise<void> {
      const type = delivery.direction === 'Inbound' ? ('channel.inbound' as const) : ('channel.delivery' as const);
      // What an event says is for those who may see it; lists show it to them.
      const data = delivery.topics === null ? toDeliveryDto(delivery) : { ...toDeliveryDto(delivery), text: null };
      const { tenantId, lineage, projectId } = delivery;
      // What is in a project is told in lists alone, which know its members.
      if (projectId !== null) data.text = null;
      const publish = () => publisher.publish({ tenantId, topics: ['channels'], type, data });
      await (lineage.length === 0 ? publish() : causing({ lineage }, publish));
    },
    /** A channel with its secrets open, for one call. */
    setupOf({
      tenantId,
      _id,
      kind,
      sealedUrl,
      sealedSecret,
      target,
      settingsJson,
    }: ChannelDoc): Setup & { settings: Settings } {
      return {
        ...{ kind, target },
        url: sealedUrl === null ? null : vault.open(tenantId, sealedUrl),
        secrets: secretsOf(kind, sealedSecret === null ? null : vault.open(tenantId, sealedSecret)),
        settings: settingsOf(settingsJson),
        inboundUrl: publicUrl === null ? null : publicUrl + inboundPathOf(_id),
      };
    },
    /** A link into the dashboard; null where nobody has said where it is. */
    linkTo: (path: string | null): string | null =>
      path === null || publicUrl === null ? null : `${publicUrl}/#${path}`,
    signatureOf: (tenantId: number, text: string): string => vault.digest(tenantId, text).slice(1, 17),
  };
}

export const inboundPathOf = (id: number): string => `/api/channels/${id}/inbound`;

/** What a delivery has that most do not say. */
export const blank = {
  ...{ eventType: null, externalId: null, threadKey: null, responseStatus: null, durationMs: null },
  ...{ messageId: null, chatSessionId: null, runId: null, outgoing: null, incoming: null, asked: null },
  ...{ escalationId: null, replyId: null, topics: null, lineage: [] as number[] },
} satisfies Partial<ChannelDeliveryDoc>;

export const excerptOf = ({ title, text }: Pick<OutMessage, 'title' | 'text'>): string =>
  cut([title, text].filter(Boolean).join('\n'), mostShown);

export const toDeliveryDto = (delivery: ChannelDeliveryDoc): ChannelDeliveryDto => shown(ChannelDeliveryDto, delivery);

/** Events of deliveries are sent through no channel: they would never end. */
const isOfDeliveries = (type: string) => type.startsWith('channel.') || type.startsWith('webhook.');

/** Whether a channel takes an event: by a pattern, its project and how much it matters. @throws Fault VALIDATION_FAILED */
export function matcherOf(
  channel: Pick<ChannelDoc, 'direction' | 'eventTypes' | 'projectId' | 'minPriority'>,
): Ready['takes'] {
  const { projectId, direction, minPriority } = channel;
  const named = channel.eventTypes.map(parsePattern);
  return (event) =>
    direction !== 'Inbound' &&
    !isOfDeliveries(event.type) &&
    (projectId === null || event.topics.includes(`project:${projectId}`)) &&
    named.some((takes) => takes(event)) &&
    rankOf[priorityOf(event)] >= rankOf[minPriority];
}

/** @throws Fault POLICY_VIOLATION where the tenant wants nothing to go to other services */
export function requireAllowed({ allowExternalChannels }: { allowExternalChannels: boolean }): void {
  if (allowExternalChannels) return;
  throw new Fault('POLICY_VIOLATION', notAllowed, {
    hint: 'An administrator allows them with allowExternalChannels (PUT /api/tenant-policy).',
  });
}

export const notAllowed = 'The policy of the tenant allows no channels to other services.';
