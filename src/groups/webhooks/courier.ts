// Sends what waits in the outboxes: a few deliveries of each webhook at once, each held by a lease while it is sent.
import type { Clock } from '../../kernel/clock.ts';
import type { Send } from '../../kernel/http-send.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import { attemptDelivery, type Outcome } from './attempt.ts';
import { type WebhookBook, waiting } from './book.ts';
import type { Outbox } from './outbox.ts';
import type { DeliveryDoc, WebhookDoc } from './record.ts';
import { waitAfter } from './retries.ts';
import { signedHeaders } from './signing.ts';

export interface CourierDeps {
  book: WebhookBook;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  vault: Vault;
  nodeId: string;
  /** No other process sends from this store: what was being sent when it opened is being sent by nobody. */
  alone: boolean;
  sendOf(tenantId: number): Send;
  maySend: Outbox['maySend'];
  /** Told before a webhook is switched off. */
  disabling(webhook: WebhookDoc, delivery: DeliveryDoc, why: string): Promise<void>;
}

/** Deliveries under way at once, in this process and of one webhook. */
const mostAtOnce = 32;
const mostOfOne = 4;
/** Beyond the time limit of an attempt, in ms, until others take its sender for dead. */
const graceMs = 15_000;
/** Deliveries in a row that failed with all their attempts, after which a webhook is switched off. */
const mostFailures = 5;
/** Milliseconds that deliveries under way get at the end. */
const patienceMs = 2000;

const unsure = 'The server stopped before the answer was known, so it may have arrived: it is sent again under its id.';

export type Courier = ReturnType<typeof createCourier>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over what is under way, which call each other.
export function createCourier(deps: CourierDeps) {
  const { book, clock, log } = deps;
  const stop = new AbortController();
  let closing = false;
  const underWay = new Map<number, { webhookId: number; done: Promise<void> }>();
  const loads = () => {
    const counts = new Map<number, number>();
    for (const { webhookId } of underWay.values()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return counts;
  };
  const ends = endings(deps);

  const carry = async (delivery: DeliveryDoc): Promise<void> => {
    if (delivery.status === 'Delivering') return ends.release(delivery);
    const webhook = await book.webhooks.findOne({ _id: delivery.webhookId, tenantId: delivery.tenantId });
    const why = await whyNot(deps, webhook, delivery);
    if (!webhook || why !== null) return ends.drop(delivery, why ?? '');
    const claimed = await ends.claim(delivery, webhook);
    if (claimed) await ends.end(claimed, webhook, await send(deps, claimed, webhook, stop.signal));
  };

  const start = (delivery: DeliveryDoc): void => {
    const done = carry(delivery)
      .catch((error: unknown) => log.warn({ err: error, delivery: delivery._id }, 'a delivery waits for the next look'))
      .finally(() => underWay.delete(delivery._id));
    underWay.set(delivery._id, { webhookId: delivery.webhookId, done });
    // Its place is free for the next one.
    void done.then(poke);
  };

  const look = async (): Promise<void> => {
    while (!closing && underWay.size < mostAtOnce) {
      const busy = [...loads()].flatMap(([id, count]) => (count >= mostOfOne ? [id] : []));
      const due = { due: { $lte: new Date(clock.now()) }, _id: { $nin: [...underWay.keys()] } };
      const others = busy.length === 0 ? due : { ...due, webhookId: { $nin: busy } };
      const found = await book.deliveries.find(others, { sort: { due: 1 }, limit: mostAtOnce }).toArray();
      let begun = 0;
      for (const one of found) {
        if (closing || underWay.size >= mostAtOnce) return;
        if ((loads().get(one.webhookId) ?? 0) >= mostOfOne || underWay.has(one._id)) continue;
        start(one);
        begun++;
      }
      if (begun === 0) return;
    }
  };

  let looking: Promise<void> | null = null;
  let again = false;
  const lookNow = async (): Promise<void> => {
    do {
      again = false;
      await look();
    } while (again);
  };
  const round = (): Promise<void> => {
    again = true;
    looking ??= lookNow().finally(() => {
      looking = null;
    });
    return looking;
  };
  function poke(): void {
    if (!closing) void round().catch((error: unknown) => log.warn({ err: error }, 'deliveries wait for the next look'));
  }

  return {
    poke,
    round,
    /** Takes up what an earlier process was sending when it died. */
    async takeUp(): Promise<void> {
      if (!deps.alone) return;
      const left = await book.deliveries.find({ due: { $gt: new Date(0) }, status: 'Delivering' }).toArray();
      for (const one of left) await ends.release(one);
    },
    async close(): Promise<void> {
      const patience = new AbortController();
      const all = Promise.all([...underWay.values()].map(({ done }) => done));
      const enough = clock.sleep(patienceMs, patience.signal).catch(() => {});
      closing = true;
      await Promise.race([all, enough]);
      patience.abort();
      stop.abort(new Error('the server stops'));
      await all;
    },
  };
}

/** Why a delivery is not sent any more; null where it is. */
async function whyNot({ maySend }: CourierDeps, webhook: WebhookDoc | null, { topics }: DeliveryDoc) {
  if (!webhook) return 'The webhook was deleted.';
  if (!webhook.enabled) return webhook.disabledReason ?? 'The webhook is switched off.';
  if (topics !== null && !(await maySend(webhook, topics)))
    return 'Who set the webhook up may not see this event, or what it was about is gone.';
  return null;
}

function send(deps: CourierDeps, delivery: DeliveryDoc, webhook: WebhookDoc, stop: AbortSignal): Promise<Outcome> {
  const { clock, vault, sendOf } = deps;
  const { tenantId, url, timeoutMs, sealedHeaders } = webhook;
  const at = clock.now();
  const secrets = webhook.secrets
    .filter(({ until }) => until === null || until.getTime() > at)
    .map(({ sealed }) => vault.open(tenantId, sealed));
  const own = sealedHeaders === null ? {} : (JSON.parse(vault.open(tenantId, sealedHeaders)) as Record<string, string>);
  const body = delivery.requestBody ?? '';
  const headers = { 'user-agent': 'Rivulet', ...own, ...signedHeaders({ id: delivery.messageId, at, body, secrets }) };
  return attemptDelivery({ send: sendOf(tenantId), clock, url, headers, body, timeoutMs, stop });
}

/** How a delivery changes hands and ends. Each write is of the one who holds it. */
function endings({ book, clock, nodeId, disabling }: CourierDeps) {
  const { deliveries, webhooks } = book;
  const now = () => new Date(clock.now());
  const write = async ({ _id, due, status }: DeliveryDoc, $set: Partial<DeliveryDoc>): Promise<DeliveryDoc | null> => {
    const changed = await deliveries.findOneAndUpdate({ _id, due, status }, { $set }, { returnDocument: 'after' });
    if (changed && changed.status !== 'Delivering') await book.tell(changed);
    return changed;
  };

  const disable = async (webhook: WebhookDoc, delivery: DeliveryDoc, why: string): Promise<void> => {
    await disabling(webhook, delivery, why);
    const $set = { enabled: false, disabledAt: now(), disabledReason: why, updatedAt: now() };
    await webhooks.updateOne({ _id: webhook._id, enabled: true }, { $set });
    book.changed(webhook.tenantId);
    await book.drop(webhook._id, why);
  };

  const count = async (delivery: DeliveryDoc): Promise<WebhookDoc | null> => {
    const { status, webhookId } = delivery;
    const $set = {
      lastDeliveryAt: now(),
      lastStatus: status,
      ...(status === 'Delivered' && { consecutiveFailures: 0 }),
    };
    const $inc = {
      ...(status === 'Delivered' && { successCount: 1 }),
      ...(status === 'Failed' && { failureCount: 1, consecutiveFailures: 1 }),
    };
    const update = Object.keys($inc).length > 0 ? { $set, $inc } : { $set };
    return webhooks.findOneAndUpdate({ _id: webhookId }, update, { returnDocument: 'after' });
  };

  return {
    claim: (delivery: DeliveryDoc, { timeoutMs }: WebhookDoc) =>
      write(delivery, {
        ...{ status: 'Delivering', sender: nodeId, attempt: delivery.attempt + 1, nextAttemptAt: null },
        due: new Date(clock.now() + timeoutMs + graceMs),
      }),
    /** The attempt of somebody who died is made again, and says so. */
    async release(delivery: DeliveryDoc): Promise<void> {
      const attempt = Math.max(0, delivery.attempt - 1);
      await write(delivery, {
        ...{ status: 'Retrying', attempt, error: unsure, sender: null, due: now(), nextAttemptAt: now() },
      });
    },
    async drop(delivery: DeliveryDoc, why: string): Promise<void> {
      await write(delivery, { status: 'Dropped', error: why, due: null, nextAttemptAt: null, endedAt: now() });
    },
    async end(delivery: DeliveryDoc, webhook: WebhookDoc, outcome: Outcome): Promise<void> {
      const { kind, askedWait, ...told } = outcome;
      if (kind === 'stopped') return this.release(delivery);
      const isLast = kind === 'gone' || delivery.attempt >= delivery.maxAttempts;
      const over = { ...told, sender: null, due: null, endedAt: now() };
      if (kind === 'delivered') {
        const ended = await write(delivery, { ...over, status: 'Delivered', deliveredAt: now() });
        if (ended) await count(ended);
        return;
      }
      if (!isLast) {
        const next = new Date(clock.now() + waitAfter(delivery.attempt, askedWait));
        const set = { ...told, status: 'Retrying' as const, sender: null, due: next, nextAttemptAt: next };
        const kept = await write(delivery, set);
        if (kept) await count(kept);
        return;
      }
      const ended = await write(delivery, { ...over, status: 'Failed' });
      const counted = ended && (await count(ended));
      if (!ended || !counted?.enabled) return;
      if (kind === 'gone') await disable(webhook, ended, 'The receiver answered 410: it wants no more.');
      else if (counted.consecutiveFailures >= mostFailures)
        await disable(webhook, ended, `${mostFailures} deliveries in a row failed with all their attempts.`);
    },
  };
}

/** Whether a delivery has not ended. */
export const isOpen = ({ status }: Pick<DeliveryDoc, 'status'>): boolean =>
  status === 'Delivering' || (waiting as readonly string[]).includes(status);
