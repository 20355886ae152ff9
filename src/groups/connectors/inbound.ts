// Takes what other systems send by themselves: verified, taken once, made an event that routines are woken by.
import type { Caller } from '../../contract/caller.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import { type Page, toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { fieldsOf } from '../../outside/channels/verify.ts';
import { verifiedKey } from '../../outside/inbound.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper, type ListRequest } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { ConnectorBook } from './book.ts';
import { ConnectorDeliveryDto, type ConnectorInboundResult } from './dto.ts';
import { incoming } from './mapped.ts';
import { planOf } from './plans.ts';
import { type ConnectorDeliveryDoc, deliveryRecord, endpointRecord } from './record.ts';

interface Deps {
  book: ConnectorBook;
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
}

export function createInbound({ book, db, ids, clock, publisher }: Deps) {
  const everybodys = db.collection(endpointRecord.spec);
  const deliveries = createKeeper(deliveryRecord, { db, ids, clock });

  /** Something that came in; it is there already where it came before. */
  const enter = async (draft: Omit<ConnectorDeliveryDoc, '_id' | 'guid' | 'createdAt'>) => {
    try {
      return { delivery: await deliveries.insert(draft, draft), isNew: true };
    } catch (error) {
      const { endpointId, key } = draft;
      const known = isTwin(error) ? await deliveries.of(draft.tenantId).findOne({ endpointId, key }) : null;
      if (known) return { delivery: known, isNew: false };
      throw error;
    }
  };

  return {
    async receive(id: number, request: RequestInfo): Promise<ConnectorInboundResult> {
      const endpoint = await everybodys.findOne({ _id: id });
      const connector = endpoint && (await book.connectors.find(endpoint, endpoint.connectorId));
      const eventType = endpoint?.webhookEventType;
      if (!endpoint || connector?.type !== 'Webhook' || !connector.enabled || !eventType) throw noneListens(id);
      const { tenantId } = connector;
      const callback = {
        header: (name: string) => request.header(name),
        bytes: Buffer.from(request.bytes),
        now: clock.now(),
      };
      const key = verifiedKey(connector.authMethod, book.open(connector).credentials, callback);
      const said = fieldsOf(callback);
      const mappings = await book.mappings
        .of(tenantId)
        .find({ endpointId: id })
        .sort({ sortOrder: 1, _id: 1 })
        .toArray();
      const payload = asObject(await incoming(planOf(connector, endpoint, mappings).inbound, said));
      const about = { connectorId: connector._id, endpointId: id, eventType };
      const bytes = callback.bytes.length;
      const { delivery, isNew } = await enter({ tenantId, ...about, key, bytes, publishedAt: null });
      const result = { accepted: true, duplicate: !isNew, deliveryId: delivery._id };
      if (delivery.publishedAt !== null) return result;
      // A server that dies before the answer is asked again by most senders; the event is told once all the same.
      await publisher.publish({
        ...{ tenantId, topics: ['connectors'], type: 'connector.webhook', key: `connector-delivery:${delivery._id}` },
        data: {
          ...about,
          deliveryId: delivery._id,
          connectorName: connector.name,
          payload,
          receivedAtUtc: delivery.createdAt.toISOString(),
        },
      });
      await deliveries.of(tenantId).updateOne({ _id: delivery._id }, { $set: { publishedAt: new Date(clock.now()) } });
      return result;
    },

    async list(caller: Caller, connectorId: number, query: ListRequest): Promise<Page<ConnectorDeliveryDto>> {
      await book.connectors.get(caller, connectorId);
      const { items, totalCount } = await deliveries.page(caller, query, { within: { connectorId } });
      return toPage(
        items.map((doc) => shown(ConnectorDeliveryDto, doc)),
        totalCount,
        query,
      );
    },
  };
}

const isTwin = (error: unknown) => isDuplicate(error) || (error instanceof Fault && error.code === 'DUPLICATE');

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value: value ?? null };

const noneListens = (id: number) =>
  new Fault('NOT_FOUND', `There is no endpoint ${id} that listens.`, {
    hint: 'See inboundPath of the endpoint; its connector has the type Webhook and is switched on.',
  });
