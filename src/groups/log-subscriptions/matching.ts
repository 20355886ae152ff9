// Which lines a log subscription takes, and which it leaves out because its own digests have caused them.
import { type LogEntry, type LogFilter, matcherOf } from '../../logs/entry.ts';
import type { LogSubscriptionDoc } from './record.ts';

type Subscribed = Pick<LogSubscriptionDoc, 'domain' | 'minLevel' | 'sourceHost' | 'identityId'>;

export const filterOf = ({ domain, minLevel, sourceHost }: Subscribed): LogFilter => ({
  domain,
  minLevel,
  ...(sourceHost !== null && { host: sourceHost }),
});

/** Requests by which somebody reads what a digest has told: who fetches each new message would be told of that, for ever. */
const readers = /^(?:Messages|SystemLogs|LogSubscriptions|Events|WebSocket|Session)_/;

/** Says whether a line counts for a subscription. */
export function takerOf(subscription: Subscribed): (entry: LogEntry) => boolean {
  const matches = matcherOf(filterOf(subscription));
  const isOfDigest = ({ ofDigest, identityId, route }: LogEntry) =>
    ofDigest || (identityId === subscription.identityId && route !== null && readers.test(route));
  return (entry) => matches(entry) && !isOfDigest(entry);
}
