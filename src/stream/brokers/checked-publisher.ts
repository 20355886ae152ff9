// A publisher for tests that checks every event against its declaration: the schema of its payload, its topics.
import { topicsOf } from '../../contract/event.ts';
import type { Logger } from '../../kernel/logger.ts';
import { eventType } from '../log/events.ts';
import type { AnyPublisher } from './publisher.ts';

/** Log messages for a payload that fails its schema, and for an event on an undeclared topic. */
export const wrongPayload = 'an event is not of its schema';
export const wrongTopic = 'an event is on a topic that it does not declare';

/** Publishes even after a failed check: the test must not stop the engine. */
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

/** Pattern of a topic: `run:42` gives `run:*`, and `me@user:3` gives `me`. */
const patternOf = (topic: string) => topic.replace(/@.*$/, '').replace(/:-?\d+$/, ':*');
