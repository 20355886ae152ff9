// Says that something has changed on a topic, once for several events that come together.
import { useEffect, useRef } from 'react';
import type { KnownEvent } from '../../client/index.ts';
import { useCount } from '../base/count.ts';
import { useTopic } from './topic.ts';

const gatherMs = 300;

/**
 * Answers a number that grows with the news of a topic, and after a gap; `useReloadOn` loads again by it.
 *
 * @param matters - which events are news; all unless given
 */
export function useNews(topic: string | null, matters: (event: KnownEvent) => boolean = () => true): number {
  const [news, count] = useCount();
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const look = () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      count();
    }, gatherMs);
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  useTopic(topic, {
    onEvent: (event) => matters(event) && look(),
    onSnapshot: (why) => why === 'gap' && look(),
  });
  return news;
}
