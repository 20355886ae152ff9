// Writes an event into the outbox of each webhook that takes it, before whoever published it goes on.
import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Publication } from '../../ports/stream.ts';
import { mayHearOf } from '../may-hear.ts';
import type { Ready, WebhookBook } from './book.ts';
import { type DeliveryDoc, deliveryRecord, type WebhookDoc } from './record.ts';

interface Deps {
  book: WebhookBook;
  ids: Ids;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  /** Who made a webhook, with today's rights; null when they are gone. */
  makerOf(webhook: WebhookDoc): Promise<Caller | null>;
  /** Whether somebody may follow a topic. */
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
  /** Something waits to be sent. */
  poke(): void;
}

/** Bytes of a body; what is larger is not sent, and says so. */
const mostBytes = 262_144;

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox({ book, ids, clock, log, makerOf, mayFollow, poke }: Deps) {
  const maySend = async (webhook: WebhookDoc, topics: readonly string[]): Promise<boolean> => {
    const maker = await makerOf(webhook);
    if (!maker?.permissions.has('WebhooksWrite')) return false;
    return mayHearOf(topics, (topic) => mayFollow(maker, topic));
  };

  const put = async (webhook: WebhookDoc, event: Publication): Promise<void> => {
    if (!(await maySend(webhook, event.topics))) return;
    const draft = draftOf(webhook, event.type, event.data, clock.now());
    const messageId = messageIdOf(webhook, event);
    const eventSeq = event.fence?.order ?? null;
    const topics = [...event.topics];
    const doc = { ...draft, ...{ messageId, eventSeq, topics, key: messageId } };
    try {
      await book.deliveries.insertOne({ ...doc, _id: await ids.next(deliveryRecord.spec.name), guid: randomUUID() });
    } catch (error) {
      // The same event, told again after a crash.
      if (!isDuplicate(error)) throw error;
    }
  };

  const putAll = async (takers: readonly Ready[], event: Publication): Promise<void> => {
    for (const { webhook } of takers) await put(webhook, event);
    if (takers.length > 0) poke();
  };
  const takersOf = (ready: readonly Ready[], event: Publication) => ready.filter(({ takes }) => takes(event));
  // An event that cannot be kept for a webhook is lost to it, and that is said; what happened has happened all the same.
  const loudly = (work: Promise<void>, { type }: Publication) =>
    work.catch((error: unknown) => log.error({ err: error, type }, 'an event is not delivered to webhooks'));

  return {
    maySend,
    /** Resolves when an event is in the outbox of each webhook that takes it; null when none does. */
    hear(event: Publication): Promise<void> | null {
      const ready = book.ready(event.tenantId);
      if (ready && takersOf(ready, event).length === 0) return null;
      // Whoever published it may change its data meanwhile.
      const kept = { ...event, data: structuredClone(event.data) };
      const all = ready ? Promise.resolve(ready) : book.read(event.tenantId);
      return loudly(
        all.then((found) => putAll(takersOf(found, kept), kept)),
        kept,
      );
    },
  };
}

/** A delivery that waits to be sent. */
export function draftOf(webhook: WebhookDoc, type: string, data: unknown, at: number) {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  const fits = Buffer.byteLength(body) <= mostBytes;
  const { _id: webhookId, tenantId, projectId, maxAttempts } = webhook;
  const now = new Date(at);
  return {
    ...{ tenantId, webhookId, projectId, maxAttempts, eventType: type, eventSeq: null, topics: null, attempt: 0 },
    ...{ responseStatus: null, responseExcerpt: null, durationMs: null, deliveredAt: null, sender: null },
    status: fits ? ('Pending' as const) : ('Dropped' as const),
    requestBody: fits ? body : null,
    error: fits ? null : `The event is larger than ${mostBytes} bytes.`,
    ...(fits ? { due: now, nextAttemptAt: now, endedAt: null } : { due: null, nextAttemptAt: null, endedAt: now }),
    createdAt: now,
  } satisfies Partial<DeliveryDoc>;
}

export const newMessageId = (): string => `msg_${randomUUID().replaceAll('-', '')}`;

/** What is told again bears the id that it had. */
function messageIdOf({ _id, tenantId }: WebhookDoc, { key, fence }: Publication): string {
  const same = key ?? (fence?.order === undefined ? null : `${fence.scope}:${fence.order}`);
  if (same === null) return newMessageId();
  return `msg_${createHash('sha256').update(`${tenantId}/${_id}/${same}`).digest('hex').slice(0, 32)}`;
}
