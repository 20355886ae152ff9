// Writes an event into the outbox of each webhook that takes it, before whoever published it goes on.
import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import { createListener, dropped, newlyWaiting } from '../../outside/deliveries/outbox.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Heard } from '../hearing.ts';
import { mayHearOf } from '../may-hear.ts';
import type { Ready, WebhookBook } from './book.ts';
import { type DeliveryDoc, deliveryRecord, type WebhookDoc } from './record.ts';

interface Deps {
  book: WebhookBook;
  ids: Ids;
  /** Who made a webhook, with today's rights; null when they are gone. */
  makerOf(webhook: WebhookDoc): Promise<Caller | null>;
  /** Whether somebody may follow a topic. */
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
  /** The routines that led to an event, oldest first. */
  lineageOf(event: Heard): Promise<readonly number[]>;
  /** Something waits to be sent. */
  poke(): void;
}

/** Bytes of a body; what is larger is not sent, and says so. */
const mostBytes = 262_144;

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox({ book, ids, makerOf, mayFollow, lineageOf, poke }: Deps) {
  const maySend = async (webhook: WebhookDoc, topics: readonly string[]): Promise<boolean> => {
    const maker = await makerOf(webhook);
    if (!maker?.permissions.has('WebhooksWrite')) return false;
    return mayHearOf(topics, (topic) => mayFollow(maker, topic));
  };

  const put = async (webhook: WebhookDoc, event: Heard): Promise<void> => {
    // One that came after the event does not take it.
    if (event.isAgain && webhook.createdAt.getTime() > event.at) return;
    if (!(await maySend(webhook, event.topics))) return;
    const draft = draftOf(webhook, event.type, event.data, event.at);
    const messageId = messageIdOf(webhook, event);
    const own = { eventSeq: event.order, topics: [...event.topics], lineage: [...(await lineageOf(event))] };
    const doc = { ...draft, ...own, messageId, key: messageId };
    try {
      await book.deliveries.insertOne({ ...doc, _id: await ids.next(deliveryRecord.spec.name), guid: randomUUID() });
    } catch (error) {
      // The same event, told again after a crash.
      if (!isDuplicate(error)) throw error;
    }
  };
  return {
    maySend,
    ...createListener({
      takers: { ready: book.ready, read: book.read },
      put: ({ webhook }: Ready, event: Heard) => put(webhook, event),
      poke,
    }),
  };
}

/** A delivery that waits to be sent. */
export function draftOf(webhook: WebhookDoc, type: string, data: unknown, at: number) {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  const fits = Buffer.byteLength(body) <= mostBytes;
  const { _id: webhookId, tenantId, projectId, maxAttempts } = webhook;
  const now = new Date(at);
  return {
    ...newlyWaiting(now),
    ...{ tenantId, webhookId, projectId, maxAttempts, eventType: type, eventSeq: null, topics: null },
    ...{ lineage: [] as number[], responseStatus: null, responseExcerpt: null, durationMs: null },
    requestBody: fits ? body : null,
    ...(!fits && dropped(now, `The event is larger than ${mostBytes} bytes.`)),
    createdAt: now,
  } satisfies Partial<DeliveryDoc>;
}

export const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`;

/** What is told again bears the id that it had. */
const messageIdOf = ({ _id, tenantId }: WebhookDoc, { key }: Heard): string =>
  `msg_${createHash('sha256').update(`${tenantId}/${_id}/${key}`).digest('hex').slice(0, 32)}`;
