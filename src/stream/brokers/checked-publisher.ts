// A publisher for tests, which holds every payload against the schema that its event declares.
import type { Logger } from '../../kernel/logger.ts';
import type { Publisher } from '../../ports/stream.ts';
import { eventType } from '../log/events.ts';

/** What the log says of a payload that is not of its schema. */
export const wrongPayload = 'an event is not of its schema';

/** Publishes all the same: an engine must not stand still because a test looks. */
export const checkedPublisher = (publisher: Publisher, log: Logger): Publisher => ({
  publish: (publication) => {
    const { type, data } = publication;
    const issues = eventType(type)?.data.safeParse(JSON.parse(JSON.stringify(data))).error?.issues;
    if (issues) log.error({ type, issues }, wrongPayload);
    return publisher.publish(publication);
  },
});
