// Says that something has changed on a topic, once for several events that come together.
import { useEffect, useRef, useState } from 'react';
import { useTopic } from './topic.ts';

const gatherMs = 300;
/** How long a topic may take to be followed, in ms, without another look: what is shown was loaded meanwhile. */
const unseenMs = 250;

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
  const since = useRef(performance.now());
  const isLate = () => performance.now() - since.current > unseenMs;
  useTopic(topic, { onEvent: look, onSnapshot: (why) => (why === 'gap' || isLate()) && look() });
  return news;
}
