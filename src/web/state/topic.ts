// Follows a topic while a component or a store needs it: snapshot when followed, again after a gap, events in between.
import { useEffect, useRef } from 'react';
import { type ApiError, type KnownEvent, known } from '../../client/index.ts';
import { liveConnection } from './app.ts';

export interface TopicHandlers {
  onEvent(event: KnownEvent): void;
  /** Load the snapshot: called when the topic is followed and after each gap. */
  onSnapshot?(why: 'followed' | 'gap'): void;
  onRefused?(error: ApiError): void;
}

/** Answers how to stop. */
export function followTopic(topic: string, handlers: TopicHandlers, cursor: string | null = null): () => void {
  return liveConnection().subscribe(
    topic,
    {
      onEvent(event) {
        if (event.type === 'stream.gap') handlers.onSnapshot?.('gap');
        handlers.onEvent(known(event));
      },
      onFollowed: () => handlers.onSnapshot?.('followed'),
      onRefused: (error) => handlers.onRefused?.(error),
    },
    cursor,
  );
}

/**
 * Follows a topic beside what the component loads itself, which may be of before where the connection opens only then:
 * such a topic begins with a gap.
 *
 * @param cursor - where to begin when nobody follows the topic yet; live events only unless given
 */
export function useTopic(topic: string | null, handlers: TopicHandlers, cursor: string | null = null) {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (topic === null) return;
    const isLate = liveConnection().state.phase !== 'live';
    const follower: TopicHandlers = {
      onEvent: (event) => latest.current.onEvent(event),
      onSnapshot: (why) => latest.current.onSnapshot?.(isLate ? 'gap' : why),
      onRefused: (error) => latest.current.onRefused?.(error),
    };
    return followTopic(topic, follower, cursor);
  }, [topic, cursor]);
}
