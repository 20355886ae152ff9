// A publisher for tests, which holds every event against what its type declares: the schema of its payload, its topics.
import { topicsOf } from '../../contract/event.ts';
import type { Logger } from '../../kernel/logger.ts';
import { eventType } from '../log/events.ts';
import type { AnyPublisher } from './publisher.ts';

/** What the log says of a payload that is not of its schema, and of an event on a topic that is not its own. */
export const wrongPayload = 'an event is not of its schema';
export const wrongTopic = 'an event is on a topic that it does not declare';

/** Publishes all the same: an engine must not stand still because a test looks. */
export const checkedPublisher = (publisher: AnyPublisher, log: Logger): AnyPublisher => ({
  publish: (publication) => {
    const { type, data, topics } = publication;
    const declared = eventType(type);
    const own = declared ? topicsOf(declared) : [];
    const astray = topics.filter((topic) => !own.includes(patternOf(topic)));
    if (astray.length > 0) log.error({ type, astray }, wrongTopic);
    const issues = declared?.data.safeParse(JSON.parse(JSON.stringify(data))).error?.issues;
    if (issues) log.error({ type, issues }, wrongPayload);
    return publisher.publish(publication);
  },
});

/** `run:42` is `run:*`, and `me@user:3` is `me`. */
const patternOf = (topic: string) => topic.replace(/@.*$/, '').replace(/:-?\d+$/, ':*');
