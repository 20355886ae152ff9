// Serves channels: their secrets are told to nobody, and what is sent is for those who may see it.
import { randomUUID } from 'node:crypto';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import { services } from '../../outside/channels/services.ts';
import { sendAgain } from '../../outside/deliveries/again.ts';
import type { Courier } from '../../outside/deliveries/courier.ts';
import { defaultAttempts } from '../../outside/deliveries/retries.ts';
import { noteWrite } from '../../ports/audit.ts';
import { requireChangeIn } from '../../ports/in-project.ts';
import { inSpan } from '../../ports/in-span.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { onceMark } from '../../ports/once.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined, given } from '../fields.ts';
import { mayHearOf } from '../may-hear.ts';
import { requireRoom } from '../room.ts';
import { inboundPathOf, requireAllowed, toDeliveryDto } from './book.ts';
import { channels as contract } from './contract.ts';
import { ChannelDto } from './dto.ts';
import { type InboundDeps, receive } from './inbound.ts';
import { linksIn, type PlaceDeps, placed, requireThread, requireWhole } from './places.ts';
import type { ChannelDeliveryDoc, ChannelDoc } from './record.ts';

export interface ChannelServiceDeps extends InboundDeps, PlaceDeps {
  channels: Keeper<ChannelDoc>;
  deliveries: Keeper<ChannelDeliveryDoc>;
  courier: Pick<Courier<ChannelDeliveryDoc>, 'poke' | 'carryNow'>;
  identities: PerTenant<IdentityDoc>;
  mayFollow(caller: Caller, topic: string): Promise<boolean>;
  findRun(caller: Caller, id: number): Promise<unknown>;
}

const mostChannels = 200;
/** Fields whose change says anew what goes where: it is done for who changed them. */
const ofOwner = [
  'direction',
  'url',
  'secret',
  'targetAddress',
  'identityId',
  'projectId',
  'eventTypes',
  'settingsJson',
  'enabled',
] as const;
const nothingYet = {
  ...{ sealedUrl: null, sealedSecret: null, target: null, targetSummary: null, connectorId: null, identityId: null },
  ...{
    projectId: null,
    settingsJson: null,
    failureCount: 0,
    lastDeliveryStatus: null,
    lastDeliveryAt: null,
    lastError: null,
  },
};

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one handler after the other.
export const channelsService = implement(contract, (deps: ChannelServiceDeps) => {
  const { channels, deliveries, book, courier } = deps;
  const show = showing(deps);
  const showDelivery = async (caller: Caller, one: ChannelDeliveryDoc) => {
    const open = one.topics === null || (await mayHearOf(one.topics, (topic) => deps.mayFollow(caller, topic)));
    return open ? toDeliveryDto(one) : { ...toDeliveryDto(one), text: null };
  };
  /** @throws Fault CONFLICT, POLICY_VIOLATION, VALIDATION_FAILED */
  const sending = async (caller: Caller, id: number): Promise<ChannelDoc> => {
    const channel = await channels.get(caller, id);
    requireChangeIn(caller, channel.projectId);
    requireAllowed(await deps.policyOf(channel));
    if (!channel.enabled)
      throw new Fault('CONFLICT', 'This channel is switched off.', {
        hint: 'Switch it on with PATCH /api/channels/{id} and enabled true.',
      });
    const problem =
      channel.direction === 'Inbound'
        ? 'This channel only listens.'
        : services[channel.kind].cannotSend(book.setupOf(channel));
    if (problem !== null)
      throw new Fault('VALIDATION_FAILED', problem, { hint: 'Change the channel with PATCH /api/channels/{id}.' });
    return channel;
  };

  return {
    list: async ({ caller, query }) => {
      const { items, totalCount } = await channels.page(caller, query);
      return toPage(await Promise.all(items.map(show)), totalCount, query);
    },
    get: async ({ caller, params }) => show(await channels.get(caller, params.id)),
    create: async ({ caller, body }) => {
      requireAllowed(await deps.policyOf({ ...body, tenantId: caller.tenantId }));
      const { name, kind, url, secret, targetAddress, connectorId, ...rest } = body;
      const draft = {
        ...nothingYet,
        ...{ name, kind, direction: 'Outbound' as const, eventTypes: [], minPriority: 'Low' as const, enabled: true },
        ...given(rest),
        ...(await placed(deps, caller, kind, { url, secret, targetAddress, connectorId })),
        ...{ createdByUserId: caller.userId, createdByIdentityId: caller.identityId },
      };
      await requireWhole(deps, caller, draft);
      await requireRoom(
        channels.of(caller.tenantId),
        mostChannels,
        'channels',
        'Delete one (DELETE /api/channels/{id}).',
      );
      const { _id } = await channels.insert(caller, draft);
      book.changed(caller.tenantId);
      return show(await channels.get(caller, _id));
    },
    patch: async ({ caller, params, body }) => {
      requireAllowed(await deps.policyOf({ tenantId: caller.tenantId }));
      const { url, secret, targetAddress, connectorId, ...rest } = body;
      const owner = { createdByUserId: caller.userId, createdByIdentityId: caller.identityId };
      const change = async (old: ChannelDoc) => {
        requireAllowed(await deps.policyOf({ ...old, ...given(rest) }));
        if (url !== undefined && secret === undefined && old.sealedSecret !== null)
          throw new Fault('VALIDATION_FAILED', 'A channel that leads elsewhere needs its secret again.', {
            hint: 'Send secret with it, or null for none: it was given for the old place alone.',
            field: 'secret',
          });
        const fields = {
          ...defined(rest),
          ...(await placed(deps, caller, old.kind, { url, secret, targetAddress, connectorId }, old)),
          ...(ofOwner.some((name) => body[name] !== undefined) && owner),
          ...(body.enabled === true && { failureCount: 0, lastError: null }),
        };
        await requireWhole(deps, caller, { ...old, ...fields });
        return fields;
      };
      const doc = await channels.change(caller, params.id, change, {
        expecting: ['sealedUrl', 'sealedSecret', 'enabled'],
      });
      book.changed(caller.tenantId);
      if (!doc.enabled) await book.drop(doc._id, 'The channel is switched off.');
      if (body.projectId !== undefined) {
        const { projectId, _id: channelId, tenantId } = doc;
        await deliveries.of(tenantId).updateMany({ channelId, projectId: { $ne: projectId } }, { $set: { projectId } });
      }
      return show(doc);
    },
    remove: async ({ caller, params }) => {
      const { _id, tenantId } = await channels.remove(caller, params.id);
      book.changed(tenantId);
      await book.drop(_id, 'The channel was deleted.');
      await book.threads.deleteMany({ channelId: _id });
      return null;
    },
    test: async ({ caller, params, body }) => {
      const channel = await sending(caller, params.id);
      const text =
        body.text ?? `Messages of Rivulet reach this place: this is a test of the channel **${channel.name}**.`;
      const message = { title: null, text, priority: 'Normal' as const, linkUrl: null };
      const { delivery } = await book.put(channel, { key: `test:${onceMark() ?? randomUUID()}`, message });
      noteWrite(caller, { kind: 'delivery', how: 'created', doc: delivery, before: null });
      await courier.carryNow(delivery);
      return showDelivery(caller, await deliveries.get(caller, delivery._id));
    },
    send: async ({ caller, params, body }) => {
      const channel = await sending(caller, params.id);
      const { text, title, priority, runId, linkUrl, attachmentsJson, threadKey } = body;
      if (runId != null) await deps.findRun(caller, runId);
      if (threadKey != null) await requireThread(deps, channel, threadKey);
      const message = {
        ...{ title: title ?? null, priority: priority ?? 'Normal', linkUrl: linkUrl ?? null },
        text: [text, linksIn(attachmentsJson ?? null)].filter(Boolean).join('\n\n'),
      };
      const { delivery } = await book.put(channel, {
        key: `send:${onceMark() ?? randomUUID()}`,
        message,
        runId: runId ?? null,
        threadKey: threadKey ?? null,
      });
      noteWrite(caller, { kind: 'delivery', how: 'created', doc: delivery, before: null });
      courier.poke();
      return showDelivery(caller, delivery);
    },
    resend: async ({ caller, params, body: { deliveryId } }) => {
      const channel = await sending(caller, params.id);
      const again = await sendAgain(deliveries, caller, deliveryId, {
        now: new Date(deps.clock.now()),
        within: { channelId: channel._id },
        anew: sentAnew,
      });
      courier.poke();
      return showDelivery(caller, again);
    },
    listDeliveries: async ({ caller, params, query: { fromUtc, toUtc, ...query } }) => {
      const { _id: channelId } = await channels.get(caller, params.id);
      const within = { channelId, ...inSpan('createdAt', fromUtc, toUtc) };
      const { items, totalCount } = await deliveries.page(caller, query, { within });
      return toPage(await Promise.all(items.map((one) => showDelivery(caller, one))), totalCount, query);
    },
    inbound: ({ params, request }) => receive(deps, params.id, request),
  };
});

/** What changes of a delivery that is sent again. @throws Fault CONFLICT where there is nothing to send */
function sentAnew({ direction, status, outgoing }: ChannelDeliveryDoc): Partial<ChannelDeliveryDoc> {
  if (direction === 'Inbound')
    throw new Fault('CONFLICT', 'This delivery came in: there is nothing to send.', {
      hint: 'Have its sender send it again; deliveries that went out have the direction Outbound.',
    });
  if (status === 'Delivered')
    throw new Fault('CONFLICT', 'This delivery has arrived.', {
      hint: 'Send the message anew with POST /api/channels/{id}/send.',
    });
  if (outgoing === null)
    throw new Fault('CONFLICT', 'The text of this delivery is not there any more.', {
      hint: 'Send the message anew with POST /api/channels/{id}/send.',
    });
  return { maxAttempts: defaultAttempts, responseStatus: null, durationMs: null };
}

const showing =
  ({ identities }: ChannelServiceDeps) =>
  async (doc: ChannelDoc): Promise<ChannelDto> => {
    const { _id, tenantId, identityId, direction, sealedUrl, sealedSecret } = doc;
    const identity = identityId === null ? null : await identities(tenantId).findOne({ _id: identityId });
    return shown(ChannelDto, doc, {
      ...{ hasUrl: sealedUrl !== null, hasSecret: sealedSecret !== null, identityName: identity?.displayName ?? null },
      inboundPath: direction === 'Outbound' ? null : inboundPathOf(_id),
    });
  };
