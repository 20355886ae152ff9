// Small messages between the parts of one process.

export type Signal = Record<string, unknown>;

/** Listeners that all receive each message, in a later turn of the event loop. */
export function createSignals() {
  const listeners = new Set<(message: Signal) => void>();
  return {
    send: (message: Signal): void => {
      queueMicrotask(() => {
        for (const listener of listeners) listener(message);
      });
    },
    listen: (listener: (message: Signal) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
