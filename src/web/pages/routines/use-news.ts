// Says that something has changed among routines, once for several events that come together.
import { useEffect, useRef, useState } from 'react';
import { useTopic } from '../../state/topic.ts';

const gatherMs = 300;

export function useRoutineNews(): number {
  const [news, setNews] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const look = () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      setNews((n) => n + 1);
    }, gatherMs);
  };
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  useTopic('routines', { onEvent: look, onSnapshot: (why) => why === 'gap' && look() });
  return news;
}
