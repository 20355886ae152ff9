// Webhooks: events are sent to URLs of the tenant's own, signed as Standard Webhooks says.
import { z } from 'zod';
import { DeliveryStatus } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, jsonObject, nothing, string } from '../../contract/types.ts';
import { WebhookDeliveryDto, WebhookDto, WebhookWriteResult } from './dto.ts';

const name = string.trim().min(1).max(100);
const url = z.url({ protocol: /^https?$/ }).max(2000);
const eventTypes = z.array(string.trim().min(1).max(400)).min(1).max(50);
const description = string.max(2000);
const filterJson = string.max(10_000);
/** JSON object of header name to value. */
const headersJson = string.max(10_000);
const timeoutMs = int32.min(1000).max(30_000);
const maxAttempts = int32.min(1).max(20);
const eventType = string.regex(/^[\w.-]{1,100}$/);
const read = 'WebhooksRead';
const write = 'WebhooksWrite';

export const webhooks = group(
  // The interface gives the group no name.
  '(unnamed)',
  { id: 'Webhooks', base: '/api/webhooks', doc: 'Events sent to URLs, signed as Standard Webhooks says.' },
  {
    list: op.get('', {
      doc: 'List outgoing webhooks; eventType finds those whose patterns match it.',
      needs: read,
      query: listQuery(['name', 'createdAtUtc', 'updatedAtUtc', 'id'], {
        enabled: boolean.optional(),
        eventType: eventType.optional(),
        q: string.max(200).optional(),
      }),
      data: page(WebhookDto),
    }),
    create: op.post('', {
      doc: 'Have events that match any of the patterns sent to a URL. Its maker must be allowed to see an event, then and when it is sent. With projectId or identityId, events of that one alone. The signing secret is told once.',
      needs: write,
      body: fields({
        name,
        url,
        eventTypes,
        description: description.nullish(),
        filterJson: filterJson.nullish(),
        projectId: int64.nullish(),
        identityId: int64.nullish(),
        headersJson: headersJson.nullish(),
        enabled: boolean.nullish(),
        timeoutMs: timeoutMs.nullish(),
        maxAttempts: maxAttempts.nullish(),
      }),
      data: WebhookWriteResult,
    }),
    get: op.get('/{id}', { doc: 'Get one webhook with what became of its deliveries.', needs: read, data: WebhookDto }),
    patch: op.patch('/{id}', {
      doc: 'Change a webhook, switch it on again, or rotate its secret: for overlapHours (24) both sign, with 0 the new one alone at once. A new URL needs headersJson again where there are headers.',
      needs: write,
      body: fields({
        name: name.optional(),
        url: url.optional(),
        eventTypes: eventTypes.optional(),
        description: description.nullish(),
        filterJson: filterJson.nullish(),
        projectId: int64.nullish(),
        identityId: int64.nullish(),
        headersJson: headersJson.nullish(),
        enabled: boolean.optional(),
        timeoutMs: timeoutMs.optional(),
        maxAttempts: maxAttempts.optional(),
        rotateSecret: boolean.optional(),
        overlapHours: int32.min(0).max(720).optional(),
      }),
      data: WebhookWriteResult,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete a webhook; what waits for it is dropped.',
      needs: write,
      data: nothing,
    }),
    listDeliveries: op.get('/{id}/deliveries', {
      doc: 'List deliveries of a webhook, newest first, with the outcome of the last attempt.',
      needs: read,
      query: listQuery(['createdAtUtc', 'id'], {
        fromUtc: dateTime.optional(),
        toUtc: dateTime.optional(),
        status: DeliveryStatus.optional(),
        eventType: eventType.optional(),
      }),
      data: page(WebhookDeliveryDto),
    }),
    send: op.post('/{id}/deliveries', {
      doc: 'Send a test event, or with deliveryId a past delivery again, under the same webhook-id. It is answered as it waits to be sent.',
      needs: write,
      body: fields({ deliveryId: int64.nullish(), eventType: eventType.nullish(), payload: jsonObject.nullish() }),
      data: WebhookDeliveryDto,
    }),
  },
);
