// Sends what waits in the outboxes: a few deliveries of each webhook at once, each held by a lease while it is sent.
import type { Clock } from '../../kernel/clock.ts';
import type { Send } from '../../kernel/http-send.ts';
import type { Logger } from '../../kernel/logger.ts';
import { inTurn } from '../../kernel/rounds.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Gate } from '../../ports/queues.ts';
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
  gate: Gate;
  /** Told before a webhook is switched off. */
  disabling(webhook: WebhookDoc, delivery: DeliveryDoc, why: string): Promise<void>;
}

/** Deliveries under way at once, in this process and of one webhook. */
export const mostAtOnce = 32;
const mostOfOne = 4;
/** Beyond the time limit of an attempt, in ms, until others take its sender for dead. */
const graceMs = 15_000;
/** Deliveries in a row that failed with all their attempts, after which a webhook is switched off. */
const mostFailures = 5;
/** Milliseconds that deliveries under way get at the end. */
const patienceMs = 2000;

const unsure = 'The server stopped before the answer was known, so it may have arrived: it is sent again under its id.';
const repeated =
  'It may have arrived more than once: a server stopped before the answer to an earlier attempt was known.';

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
    while (!closing && !deps.gate.isPaused() && underWay.size < deps.gate.most(mostAtOnce)) {
      const busy = [...loads()].flatMap(([id, count]) => (count >= mostOfOne ? [id] : []));
      const due = { due: { $lte: new Date(clock.now()) }, _id: { $nin: [...underWay.keys()] } };
      const others = busy.length === 0 ? due : { ...due, webhookId: { $nin: busy } };
      const found = await book.deliveries.find(others, { sort: { due: 1 }, limit: mostAtOnce }).toArray();
      let begun = 0;
      for (const one of found) {
        if (closing || deps.gate.isPaused() || underWay.size >= deps.gate.most(mostAtOnce)) return;
        if ((loads().get(one.webhookId) ?? 0) >= mostOfOne || underWay.has(one._id)) continue;
        start(one);
        begun++;
      }
      if (begun === 0) return;
    }
  };

  const round = inTurn(look);
  function poke(): void {
    if (!closing) void round().catch((error: unknown) => log.warn({ err: error }, 'deliveries wait for the next look'));
  }

  deps.gate.onOpen(poke);
  return {
    poke,
    round,
    /** Deliveries under way. */
    active: () => underWay.size,
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

/** Counts how deliveries of a webhook end. */
const counting =
  ({ book, clock }: CourierDeps) =>
  async ({ status, webhookId }: DeliveryDoc): Promise<WebhookDoc | null> => {
    const $set = {
      lastDeliveryAt: new Date(clock.now()),
      lastStatus: status,
      ...(status === 'Delivered' && { consecutiveFailures: 0 }),
    };
    const $inc = {
      ...(status === 'Delivered' && { successCount: 1 }),
      ...(status === 'Failed' && { failureCount: 1, consecutiveFailures: 1 }),
    };
    const update = Object.keys($inc).length > 0 ? { $set, $inc } : { $set };
    return book.webhooks.findOneAndUpdate({ _id: webhookId }, update, { returnDocument: 'after' });
  };

/** How a delivery changes hands and ends. Each write is of the one who holds it. */
function endings(deps: CourierDeps) {
  const { book, clock, nodeId, disabling } = deps;
  const count = counting(deps);
  const { deliveries, webhooks } = book;
  const now = () => new Date(clock.now());
  const write = async ({ _id, due, status }: DeliveryDoc, $set: Partial<DeliveryDoc>): Promise<DeliveryDoc | null> => {
    return deliveries.findOneAndUpdate({ _id, due, status }, { $set }, { returnDocument: 'after' });
  };
  const tell = async (changed: DeliveryDoc | null): Promise<void> => {
    if (changed) await book.tell(changed);
  };

  const disable = async (webhook: WebhookDoc, delivery: DeliveryDoc, why: string): Promise<void> => {
    await disabling(webhook, delivery, why);
    const $set = { enabled: false, disabledAt: now(), disabledReason: why, updatedAt: now() };
    await webhooks.updateOne({ _id: webhook._id, enabled: true }, { $set });
    book.changed(webhook.tenantId);
    await book.drop(webhook._id, why);
  };

  /** What an attempt leaves of a delivery. */
  const after = (delivery: DeliveryDoc, kind: Outcome['kind'], askedWait: number | null): Partial<DeliveryDoc> => {
    if (kind === 'delivered') return { status: 'Delivered', deliveredAt: now(), due: null, endedAt: now() };
    if (kind === 'gone' || delivery.attempt >= delivery.maxAttempts)
      return { status: 'Failed', due: null, endedAt: now() };
    const next = new Date(clock.now() + waitAfter(delivery.attempt, askedWait));
    return { status: 'Retrying', due: next, nextAttemptAt: next };
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
      const again = { due: now(), nextAttemptAt: now(), mayBeRepeated: true, sender: null };
      await tell(await write(delivery, { ...again, status: 'Retrying', attempt, error: unsure }));
    },
    async drop(delivery: DeliveryDoc, why: string): Promise<void> {
      const over = { due: null, nextAttemptAt: null, endedAt: now() };
      await tell(await write(delivery, { ...over, status: 'Dropped', error: why }));
    },
    async end(delivery: DeliveryDoc, webhook: WebhookDoc, outcome: Outcome): Promise<void> {
      const { kind, askedWait, ...answer } = outcome;
      const told = { ...answer, error: errorOf(delivery, answer.error) };
      if (kind === 'stopped') return this.release(delivery);
      const ended = await write(delivery, { ...told, sender: null, ...after(delivery, kind, askedWait) });
      if (!ended) return;
      const counted = await count(ended);
      const isLost = ended.status === 'Failed' && counted?.enabled;
      if (isLost && kind === 'gone') await disable(webhook, ended, 'The receiver answered 410: it wants no more.');
      else if (isLost && counted.consecutiveFailures >= mostFailures)
        await disable(webhook, ended, `${mostFailures} deliveries in a row failed with all their attempts.`);
      // Who hears of it finds the webhook as it is now.
      await tell(ended);
    },
  };
}

/** What went wrong, now or with an attempt whose answer nobody knows. */
const errorOf = ({ mayBeRepeated }: DeliveryDoc, error: string | null): string | null =>
  mayBeRepeated ? [error, repeated].filter(Boolean).join(' ') : error;

/** Whether a delivery has not ended. */
export const isOpen = ({ status }: Pick<DeliveryDoc, 'status'>): boolean =>
  status === 'Delivering' || (waiting as readonly string[]).includes(status);
