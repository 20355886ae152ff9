// The events of one run in the order of their seq, however they arrive; a long history is applied in parts.
interface Numbered {
  seq: number;
}

interface Deps<E> {
  /** Takes the event that follows the one before it. */
  apply: (event: E) => void;
  /** Ends the task at hand, so that the page can draw and take input. */
  pause: () => Promise<void>;
  /** Events that one task applies at most. */
  atOnce: number;
}

export interface InOrder<E> {
  /** Seq of the last event that was applied. */
  readonly last: number;
  /** Events that wait for an earlier one, or for their turn. */
  readonly waiting: number;
  /** True when the next event has not come, but later ones have. */
  readonly hasHole: boolean;
  add(...events: E[]): void;
  /** Resolves once all events that are next in order are applied. */
  settled(): Promise<void>;
}

export function createInOrder<E extends Numbered>({ apply, pause, atOnce }: Deps<E>): InOrder<E> {
  const early = new Map<number, E>();
  let last = 0;
  let draining: Promise<void> | null = null;

  /** Applies what is next in order; answers whether there is more of it. */
  const applySome = () => {
    for (let count = 0; count < atOnce; count++) {
      const next = early.get(last + 1);
      if (!next) return false;
      early.delete(next.seq);
      last = next.seq;
      apply(next);
    }
    return early.has(last + 1);
  };
  const drain = async () => {
    do await pause();
    while (applySome());
    draining = null;
  };

  return {
    get last() {
      return last;
    },
    get waiting() {
      return early.size;
    },
    get hasHole() {
      return early.size > 0 && !early.has(last + 1);
    },
    add(...events) {
      for (const event of events) if (event.seq > last) early.set(event.seq, event);
      if (!draining && applySome()) draining = drain();
    },
    settled: () => draining ?? Promise.resolve(),
  };
}
