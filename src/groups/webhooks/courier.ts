// Sends what waits for webhooks, signed; counts how deliveries end, and switches off a webhook whose receiver is dead.
import type { Clock } from '../../kernel/clock.ts';
import type { Send } from '../../kernel/http-send.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import { attemptDelivery, type Outcome } from '../../outside/deliveries/attempt.ts';
import { createCourier } from '../../outside/deliveries/courier.ts';
import { signedHeaders } from '../../outside/deliveries/signing.ts';
import type { Gate } from '../../ports/queues.ts';
import type { WebhookBook } from './book.ts';
import type { Outbox } from './outbox.ts';
import type { DeliveryDoc, WebhookDoc } from './record.ts';

export interface CourierDeps {
  book: WebhookBook;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  vault: Vault;
  nodeId: string;
  alone: boolean;
  sendOf(tenantId: number): Send;
  maySend: Outbox['maySend'];
  gate: Gate;
  /** Told before a webhook is switched off. */
  disabling(webhook: WebhookDoc, delivery: DeliveryDoc, why: string): Promise<void>;
}

/** Deliveries in a row that failed with all their attempts, after which a webhook is switched off. */
const mostFailures = 5;

export const createWebhookCourier = (deps: CourierDeps) =>
  createCourier<WebhookDoc, DeliveryDoc>({
    ...deps,
    deliveries: deps.book.deliveries,
    senderField: 'webhookId',
    senderOf: (delivery) => senderOf(deps, delivery),
    timeoutMs: ({ timeoutMs }) => timeoutMs,
    attempt: (webhook, delivery, stop) => send(deps, delivery, webhook, stop),
    ended: (webhook, delivery, outcome) => noteEnd(deps, webhook, delivery, outcome),
    tell: deps.book.tell,
  });

/** The webhook of a delivery, or why it is not sent any more. */
async function senderOf({ book, maySend }: CourierDeps, { webhookId, tenantId, topics }: DeliveryDoc) {
  const webhook = await book.webhooks.findOne({ _id: webhookId, tenantId });
  if (!webhook) return 'The webhook was deleted.';
  if (!webhook.enabled) return webhook.disabledReason ?? 'The webhook is switched off.';
  if (topics !== null && !(await maySend(webhook, topics)))
    return 'Who set the webhook up may not see this event, or what it was about is gone.';
  return webhook;
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

async function noteEnd(deps: CourierDeps, webhook: WebhookDoc, delivery: DeliveryDoc, { kind }: Outcome) {
  const { book, clock, disabling } = deps;
  const disable = async (why: string): Promise<void> => {
    await disabling(webhook, delivery, why);
    const now = new Date(clock.now());
    const $set = { enabled: false, disabledAt: now, disabledReason: why, updatedAt: now };
    await book.webhooks.updateOne({ _id: webhook._id, enabled: true }, { $set });
    book.changed(webhook.tenantId);
    await book.drop(webhook._id, why);
  };
  const counted = await count(deps, delivery);
  if (delivery.status !== 'Failed' || !counted?.enabled) return;
  if (kind === 'gone') await disable('The receiver answered 410: it wants no more.');
  else if (counted.consecutiveFailures >= mostFailures)
    await disable(`${mostFailures} deliveries in a row failed with all their attempts.`);
}

/** Counts how deliveries of a webhook end. */
async function count({ book, clock }: CourierDeps, { status, webhookId }: DeliveryDoc): Promise<WebhookDoc | null> {
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
}
