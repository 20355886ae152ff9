// Loads again every few seconds, where no event tells of changes.
import { useEffect } from 'react';

const everyMs = 5000;

export function useEvery(reload: () => void) {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [reload]);
}
