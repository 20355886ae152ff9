// The time, for what counts up or down on the page: one tick for everybody.
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();
/** Server time minus ours, ms; learnt at the start so that countdowns are right on a clock that is wrong. */
let skew = 0;

export function setServerTime(iso: string) {
  const difference = new Date(iso).getTime() - Date.now();
  skew = Math.abs(difference) > 2000 ? difference : 0;
}

export const serverNow = (): number => Date.now() + skew;

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = serverNow();
    for (const one of [...listeners]) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Now, in ms, renewed each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    if (!timer) now = serverNow();
    return now;
  });
}
