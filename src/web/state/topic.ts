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

/**
 * Answers how to stop.
 *
 * @param replaySeconds - see `Live.subscribe`
 */
export function followTopic(
  topic: string,
  handlers: TopicHandlers,
  cursor: string | null = null,
  replaySeconds = 0,
): () => void {
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
    replaySeconds,
  );
}

/** The longest way from the beginning of a load to the confirmed subscription that a replay makes good, ms. */
const replayedMs = 1000;
/** A second more than that: components beside have begun their loads before, and clocks of nodes differ. */
const replaySeconds = 2;

/**
 * Follows a topic beside what the component loads itself, which may be of before: what changed meanwhile is replayed.
 * Where the connection opens only later, or is slow, the topic begins with a gap.
 *
 * @param cursor - where to begin when nobody follows the topic yet; live events only unless given
 */
export function useTopic(topic: string | null, handlers: TopicHandlers, cursor: string | null = null) {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (topic === null) return;
    const isOpen = liveConnection().state.phase === 'live';
    const begun = performance.now();
    const isLate = () => !isOpen || performance.now() - begun > replayedMs;
    const follower: TopicHandlers = {
      onEvent: (event) => latest.current.onEvent(event),
      onSnapshot: (why) => latest.current.onSnapshot?.(isLate() ? 'gap' : why),
      onRefused: (error) => latest.current.onRefused?.(error),
    };
    return followTopic(topic, follower, cursor, isOpen ? replaySeconds : 0);
  }, [topic, cursor]);
}
