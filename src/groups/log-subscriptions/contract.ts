// Operations on log subscriptions.
import { LogDomain, SystemLogLevel } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int64, nothing, string } from '../../contract/types.ts';
import { LogSubscriptionDto } from './dto.ts';

const needs = 'LogsRead';
const sourceHost = string.trim().min(1).max(255);

export const logSubscriptions = group(
  'LogSubscriptions',
  {
    base: '/api/log-subscriptions',
    doc: 'Lines of the log that are sent to somebody’s inbox, as one digest for many, and published on the topic logs.',
  },
  {
    list: op.get('', {
      doc: 'List log subscriptions.',
      needs,
      query: listQuery(['createdAtUtc', 'domain', 'id'], {
        identityId: int64.optional(),
        domain: LogDomain.optional(),
        isActive: boolean.optional(),
      }),
      data: page(LogSubscriptionDto),
    }),
    create: op.post('', {
      doc: 'Have lines of a domain, from a level on, sent to an identity’s inbox: the caller’s own unless another one is named. Lines that come together are one message.',
      needs,
      body: fields({
        domain: LogDomain,
        minLevel: SystemLogLevel,
        identityId: int64.nullish(),
        sourceHost: sourceHost.nullish(),
        isActive: boolean.nullish(),
      }),
      data: LogSubscriptionDto,
    }),
    get: op.get('/{id}', { doc: 'Get one log subscription.', needs, data: LogSubscriptionDto }),
    replace: op.put('/{id}', {
      doc: 'Replace a log subscription; without identityId it stays with whom it is. One that is switched on again begins with the lines from then on.',
      needs,
      body: fields({
        domain: LogDomain,
        minLevel: SystemLogLevel,
        identityId: int64.nullish(),
        sourceHost: sourceHost.nullish(),
        isActive: boolean,
      }),
      data: LogSubscriptionDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Delete a log subscription; lines that wait for its next message are not sent.',
      needs,
      data: nothing,
    }),
  },
);
