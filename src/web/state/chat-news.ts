// Counts the news of this person's chats: a burst of them, such as a folder that is renamed, is one.
import { useEffect, useRef, useState } from 'react';
import { useTopic } from './topic.ts';

const settleMs = 100;

export function useChatNews(): number {
  const [news, setNews] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const count = () => {
    timer.current = null;
    setNews((n) => n + 1);
  };
  const soon = () => {
    timer.current ??= setTimeout(count, settleMs);
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  useTopic('chats', {
    onSnapshot: soon,
    onEvent: (event) => (event.type as string).startsWith('chat.session') && soon(),
  });
  return news;
}
