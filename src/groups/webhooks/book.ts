// Webhooks and deliveries as the courier and the service write them, and the patterns that are matched.
import type { Clock } from '../../kernel/clock.ts';
import { dropped, waiting } from '../../outside/deliveries/outbox.ts';
import type { Db } from '../../ports/db.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import { type Happened, parseFilter, parsePattern } from '../../routines/event-match.ts';
import { causing } from '../agent/routines/cause.ts';
import { createReadyMatchers, type ReadySignals } from '../ready-matchers.ts';
import { WebhookDeliveryDto } from './dto.ts';
import { type DeliveryDoc, deliveryRecord, type WebhookDoc, webhookRecord } from './record.ts';

interface Deps {
  db: Db;
  clock: Clock;
  publisher: Publisher;
  /** Tells other nodes of changes of webhooks; null where there are none. */
  signals: ReadySignals | null;
}

export interface Ready {
  webhook: WebhookDoc;
  takes(event: Happened): boolean;
}

export type WebhookBook = ReturnType<typeof createWebhookBook>;

export function createWebhookBook({ db, clock, publisher, signals }: Deps) {
  const webhooks = db.collection(webhookRecord.spec);
  const deliveries = db.collection(deliveryRecord.spec);
  const ready = createReadyMatchers({ clock, signals }, async (tenantId): Promise<Ready[]> => {
    const found = await webhooks.find({ tenantId, enabled: true }).toArray();
    return found.map((webhook) => ({ webhook, takes: matcherOf(webhook) }));
  });
  return {
    webhooks,
    deliveries,
    /** Webhooks of a tenant that receive events, where they are in memory. */
    ready: ready.known,
    read: ready.read,
    /** Forgets what is known of a tenant's webhooks; call after they have changed. */
    changed: ready.changed,
    /** Ends what waits for a webhook that takes nothing any more. */
    async drop(webhookId: number, why: string): Promise<void> {
      const $set = dropped(new Date(clock.now()), why);
      await deliveries.updateMany({ webhookId, status: { $in: waiting } }, { $set });
    },
    async tell(delivery: DeliveryDoc): Promise<void> {
      // What was sent is for those who may see the event; lists show it to them.
      const data = { ...toDeliveryDto(delivery), requestBody: null, responseExcerpt: null };
      const { tenantId, lineage = [] } = delivery;
      const publish = () => publisher.publish({ tenantId, topics: ['webhooks'], type: 'webhook.delivery', data });
      await (lineage.length === 0 ? publish() : causing({ lineage }, publish));
    },
  };
}

export const toDeliveryDto = (delivery: DeliveryDoc): WebhookDeliveryDto => ({
  ...shown(WebhookDeliveryDto, delivery),
  // Deliveries of earlier versions do not know.
  mayBeRepeated: delivery.mayBeRepeated ?? false,
});

/** Events of webhooks themselves are sent to none: they would never end. */
const isOwn = (type: string) => type.startsWith('webhook.');

/** Whether a webhook takes an event: by a pattern, its filter, and what it is narrowed to. @throws Fault VALIDATION_FAILED */
export function matcherOf(
  webhook: Pick<WebhookDoc, 'eventTypes' | 'filterJson' | 'projectId' | 'identityId'>,
): Ready['takes'] {
  const { projectId, identityId } = webhook;
  const named = webhook.eventTypes.map(parsePattern);
  const holds = parseFilter(webhook.filterJson);
  const ofIdentity = ({ topics, data }: Happened) =>
    topics.includes(`identity:${identityId}`) ||
    topics.includes(`inbox:${identityId}`) ||
    (data as { identityId?: unknown } | null)?.identityId === identityId;
  return (event) =>
    !isOwn(event.type) &&
    (projectId === null || event.topics.includes(`project:${projectId}`)) &&
    (identityId === null || ofIdentity(event)) &&
    named.some((takes) => takes(event)) &&
    holds(event.data);
}
