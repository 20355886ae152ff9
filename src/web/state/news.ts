// Says that something has changed on a topic, once for several events that come together.
import { useEffect, useRef, useState } from 'react';
import { useTopic } from './topic.ts';

const gatherMs = 300;

export function useNews(topic: string): number {
  const [news, setNews] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const look = () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      setNews((n) => n + 1);
    }, gatherMs);
  };
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  useTopic(topic, { onEvent: look, onSnapshot: (why) => why === 'gap' && look() });
  return news;
}
