// Serves webhooks: secrets are told once, what is sent is for those who may see it, and deliveries are sent again by hand.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { namesOutOfReach, type Reach } from '../../kernel/reach.ts';
import type { Vault } from '../../kernel/vault.ts';
import { sendAgain } from '../../outside/deliveries/again.ts';
import { newlyWaiting } from '../../outside/deliveries/outbox.ts';
import { defaultAttempts } from '../../outside/deliveries/retries.ts';
import { newSecret, secretPrefix } from '../../outside/deliveries/signing.ts';
import { inSpan } from '../../ports/in-span.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import { parsePattern } from '../../routines/event-match.ts';
import { parseHeaders } from '../ai-router/providers/provider-address.ts';
import { defined, given } from '../fields.ts';
import { mayHearOf } from '../may-hear.ts';
import { requireRoom } from '../room.ts';
import { matcherOf, toDeliveryDto, type WebhookBook } from './book.ts';
import { webhooks as contract } from './contract.ts';
import { WebhookDto } from './dto.ts';
import { draftOf, newMessageId } from './outbox.ts';
import type { DeliveryDoc, Secret, WebhookDoc } from './record.ts';

export interface WebhookServiceDeps {
  webhooks: Keeper<WebhookDoc>;
  deliveries: Keeper<DeliveryDoc>;
  book: WebhookBook;
  vault: Vault;
  clock: Clock;
  reachOf(tenantId: number): Reach;
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
  poke(): void;
}

const plain = {
  ...{ description: null, filterJson: null, projectId: null, identityId: null, enabled: true },
  ...{ timeoutMs: 15_000, maxAttempts: defaultAttempts, sealedHeaders: null, headerNames: [] },
  ...{ successCount: 0, failureCount: 0, consecutiveFailures: 0, lastDeliveryAt: null, lastStatus: null },
  ...{ disabledAt: null, disabledReason: null },
};
const hourMs = 3_600_000;
/** Webhooks of a tenant: each event is matched against all of them. */
export const mostWebhooks = 1000;
const moreWebhooks = 'Delete one (DELETE /api/webhooks/{id}), or give one more eventTypes: it may have 50.';
const defaultOverlapHours = 24;
/** Fields whose change says anew what is sent where: it is sent for who changed them. */
const ofSending = ['url', 'eventTypes', 'filterJson', 'projectId', 'identityId', 'headersJson', 'enabled'] as const;

export const toWebhookDto = (doc: WebhookDoc): WebhookDto => shown(WebhookDto, doc);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one handler after the other.
export const webhooksService = implement(contract, (deps: WebhookServiceDeps) => {
  const { webhooks, deliveries, book, vault, clock, mayFollow } = deps;
  const checkUrl = urlCheck(deps);

  const result = (doc: WebhookDoc, isNew: boolean) => {
    const [newest, before] = doc.secrets;
    const isEnding = before?.until && before.until.getTime() > clock.now();
    return {
      webhook: toWebhookDto(doc),
      rawSecret: isNew && newest ? vault.open(doc.tenantId, newest.sealed) : null,
      previousSecretExpiresAtUtc: isEnding ? (before.until?.toISOString() ?? null) : null,
    };
  };
  const sealed = (tenantId: number, headersJson: string | null | undefined) => {
    if (headersJson === undefined) return {};
    const headers = headersJson === null ? {} : headersOf(headersJson);
    const headerNames = Object.keys(headers);
    const sealedHeaders = headerNames.length === 0 ? null : vault.seal(tenantId, JSON.stringify(headers));
    return { headerNames, sealedHeaders };
  };
  /** What was sent, for those who may see the event. */
  const show = async (caller: Caller, one: DeliveryDoc) => {
    const open = one.topics === null || (await mayHearOf(one.topics, (topic) => mayFollow(caller, topic)));
    return open ? toDeliveryDto(one) : { ...toDeliveryDto(one), requestBody: null, responseExcerpt: null };
  };
  const rotated = (old: WebhookDoc, overlapHours = defaultOverlapHours): Secret[] => {
    const until = new Date(clock.now() + overlapHours * hourMs);
    const still = old.secrets.filter((one) => one.until === null || one.until.getTime() > clock.now());
    // None signs for longer than the overlap of today: with 0 the new one signs alone.
    const ending = still.map((one) => ({ ...one, until: one.until && one.until < until ? one.until : until }));
    return [{ sealed: vault.seal(old.tenantId, newSecret()), until: null }, ...ending].slice(0, 3);
  };

  return {
    list: async ({ caller, query: { eventType, ...query } }) => {
      const named = eventType === undefined ? null : await matching(deps, caller, eventType);
      const { items, totalCount } = await webhooks.page(
        caller,
        query,
        named ? { within: { _id: { $in: named } } } : {},
      );
      return toPage(items.map(toWebhookDto), totalCount, query);
    },
    get: async ({ caller, params }) => toWebhookDto(await webhooks.get(caller, params.id)),
    create: async ({ caller, body: { headersJson, ...body } }) => {
      const { tenantId } = caller;
      checkUrl(tenantId, body.url);
      const secret = newSecret();
      const draft = {
        ...plain,
        ...given(body),
        ...{ name: body.name, url: body.url, eventTypes: body.eventTypes },
        ...sealed(tenantId, headersJson ?? null),
        ...{ secrets: [{ sealed: vault.seal(tenantId, secret), until: null }], secretPrefix: secretPrefix(secret) },
        ...{ createdByUserId: caller.userId, createdByIdentityId: caller.identityId },
      };
      matcherOf(draft);
      await requireRoom(webhooks.of(tenantId), mostWebhooks, 'webhooks', moreWebhooks);
      const { _id } = await webhooks.insert(caller, draft);
      book.changed(tenantId);
      // A repeated request tells the secret that it made the first time.
      return result(await webhooks.get(caller, _id), true);
    },
    patch: async ({ caller, params, body: { headersJson, rotateSecret, overlapHours, ...body } }) => {
      const { tenantId } = caller;
      if (body.url !== undefined) checkUrl(tenantId, body.url);
      const sent = { ...body, headersJson };
      const owner = { createdByUserId: caller.userId, createdByIdentityId: caller.identityId };
      const change = (old: WebhookDoc) => {
        if (body.url !== undefined && body.url !== old.url && old.sealedHeaders !== null && headersJson === undefined)
          throw new Fault('VALIDATION_FAILED', 'A new URL needs the headers again.', {
            hint: 'Send headersJson with it, or null for none: headers were given for the old URL alone.',
          });
        const fields = { ...defined(body), ...sealed(tenantId, headersJson) };
        matcherOf({ ...old, ...fields });
        const secrets = rotateSecret ? rotated(old, overlapHours) : null;
        return {
          ...fields,
          ...(ofSending.some((name) => sent[name] !== undefined) && owner),
          ...(body.enabled === true && { consecutiveFailures: 0, disabledAt: null, disabledReason: null }),
          ...(body.enabled === false &&
            old.enabled && { disabledAt: new Date(clock.now()), disabledReason: 'Somebody switched it off.' }),
          ...(secrets && { secrets, secretPrefix: prefixOf(vault, tenantId, secrets) }),
        };
      };
      const doc = await webhooks.change(caller, params.id, change, { expecting: ['url', 'secrets', 'enabled'] });
      book.changed(tenantId);
      if (!doc.enabled) await book.drop(doc._id, doc.disabledReason ?? 'The webhook is switched off.');
      if (body.projectId !== undefined) {
        const { projectId, _id: webhookId } = doc;
        await deliveries.of(tenantId).updateMany({ webhookId, projectId: { $ne: projectId } }, { $set: { projectId } });
      }
      return result(doc, rotateSecret === true);
    },
    remove: async ({ caller, params }) => {
      const { _id, tenantId } = await webhooks.remove(caller, params.id);
      book.changed(tenantId);
      await book.drop(_id, 'The webhook was deleted.');
      return null;
    },
    listDeliveries: async ({ caller, params, query: { fromUtc, toUtc, ...query } }) => {
      const { _id: webhookId } = await webhooks.get(caller, params.id);
      const within = { webhookId, ...inSpan('createdAt', fromUtc, toUtc) };
      const { items, totalCount } = await deliveries.page(caller, query, { within });
      return toPage(await Promise.all(items.map((one) => show(caller, one))), totalCount, query);
    },
    send: async ({ caller, params, body: { deliveryId, eventType, payload } }) => {
      const webhook = await webhooks.get(caller, params.id);
      if (!webhook.enabled)
        throw new Fault('CONFLICT', 'This webhook is switched off.', {
          hint: 'Switch it on with PATCH /api/webhooks/{id} and enabled true.',
        });
      const made =
        deliveryId == null
          ? await test(deps, caller, webhook, eventType ?? 'webhook.test', payload ?? toWebhookDto(webhook))
          : await resend(deps, caller, webhook, deliveryId);
      deps.poke();
      return show(caller, made);
    },
  };
});

const prefixOf = (vault: Vault, tenantId: number, [newest]: Secret[]) =>
  newest ? secretPrefix(vault.open(tenantId, newest.sealed)) : '';

/** Headers of a webhook's own; those of the signature are ours. @throws Fault VALIDATION_FAILED */
function headersOf(json: string): Record<string, string> {
  const headers = parseHeaders(json);
  const ours = Object.keys(headers).find((name) => name.toLowerCase().startsWith('webhook-'));
  if (ours === undefined) return headers;
  throw new Fault('VALIDATION_FAILED', `headersJson: "${ours.slice(0, 50)}" belongs to the signature.`, {
    hint: 'Leave out headers that begin with webhook-.',
  });
}

const urlCheck =
  ({ reachOf }: WebhookServiceDeps) =>
  (tenantId: number, text: string): void => {
    const url = new URL(text);
    if (url.username || url.password)
      throw new Fault('VALIDATION_FAILED', 'The URL of a webhook must not hold credentials.', {
        hint: 'Give them as headersJson; those are kept sealed.',
      });
    if (namesOutOfReach(url, reachOf(tenantId)))
      throw new Fault('VALIDATION_FAILED', 'This URL leads to an address that webhooks may not reach.', {
        hint: 'Use a host on the public internet, or ask the operator to set RIVULET_PRIVATE_PROVIDERS.',
      });
  };

/** Ids of webhooks one of whose patterns names a type. */
async function matching({ webhooks }: WebhookServiceDeps, { tenantId }: Caller, type: string): Promise<number[]> {
  const all = await webhooks.of(tenantId).find({}).toArray();
  const event = { type, topics: [], data: {} };
  const named = (pattern: string) => parsePattern(pattern.slice(pattern.lastIndexOf('/') + 1))(event);
  return all.filter(({ eventTypes }) => eventTypes.some(named)).map(({ _id }) => _id);
}

function test(deps: WebhookServiceDeps, caller: Caller, webhook: WebhookDoc, type: string, data: object) {
  const messageId = newMessageId();
  const draft = draftOf(webhook, type, data, deps.clock.now());
  return deps.deliveries.insert(caller, { ...draft, messageId, key: messageId });
}

/** A delivery that failed waits again; one that arrived is sent once more, under the same id. */
async function resend(deps: WebhookServiceDeps, caller: Caller, webhook: WebhookDoc, id: number): Promise<DeliveryDoc> {
  const { deliveries, clock } = deps;
  const own = { webhookId: webhook._id };
  const now = new Date(clock.now());
  const fresh = { maxAttempts: webhook.maxAttempts, responseStatus: null, responseExcerpt: null, durationMs: null };
  const anew = ({ requestBody }: DeliveryDoc) => {
    if (requestBody !== null) return fresh;
    throw new Fault('CONFLICT', 'There is nothing to send: the event was too large.', {
      hint: 'Narrow the webhook to smaller events.',
    });
  };
  const old = await deliveries.get(caller, id, own);
  if (old.status !== 'Delivered') return sendAgain(deliveries, caller, id, { now, within: own, anew });
  const { _id, guid, createdAt, ...same } = old;
  const key = `${old.messageId}#${randomUUID()}`;
  return deliveries.insert(caller, {
    ...{ ...same, ...newlyWaiting(now), ...anew(old), key },
    lineage: [],
  });
}
