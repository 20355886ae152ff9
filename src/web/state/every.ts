// Polls every few seconds where no event is published for a change.
import { useEffect } from 'react';

const everyMs = 5000;

export function useEvery(reload: () => void) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload]);
}
