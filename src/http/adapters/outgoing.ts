// Bytes that wait in this process for clients: a client that reads nothing for a while is cut, sooner where too much
// waits.
import type { Clock } from '../../kernel/clock.ts';
import { stallMs, waitingBytes } from './limits.ts';

/** An answer or socket whose client has not taken everything. */
export interface Waiting {
  /** Bytes that the client has still to take; 0 when nothing is left to wait for. */
  readonly bytesLeft: number;
  /** Bytes of this process that it keeps meanwhile. */
  readonly bytesHeld: number;
  cut(): void;
}

export interface Outgoing {
  /** Watches an answer or socket until its client has read everything. */
  watch(one: Waiting): void;
  /** Bytes held now. */
  readonly held: number;
  /** Number of answers and sockets that were cut so far. */
  readonly cut: number;
  stop(): void;
}

interface Watched {
  left: number;
  held: number;
  /** When its client was last seen to read (ms). */
  since: number;
}

const lookEveryMs = 1000;

/** What waits on one server; `limit` is kept to by all together. */
export function createOutgoing({
  clock,
  limit = waitingBytes,
}: {
  clock: Clock;
  limit?: number | undefined;
}): Outgoing {
  const watched = new Map<Waiting, Watched>();
  let held = 0;
  let cuts = 0;
  let stopLooking: (() => void) | null = null;

  const forget = (one: Waiting, known: Watched) => {
    watched.delete(one);
    held -= known.held;
  };
  const cut = (one: Waiting, known: Watched) => {
    forget(one, known);
    cuts++;
    one.cut();
  };
  const refresh = (one: Waiting, known: Watched, now: number) => {
    const left = one.bytesLeft;
    if (left === 0) return forget(one, known);
    const heldNow = one.bytesHeld;
    held += heldNow - known.held;
    if (left < known.left) known.since = now;
    known.left = left;
    known.held = heldNow;
  };

  const look = () => {
    const now = clock.steady();
    for (const [one, known] of watched) {
      refresh(one, known, now);
      if (watched.has(one) && now - known.since >= stallMs) cut(one, known);
    }
    if (held > limit) {
      const standing = [...watched].filter(([, { since }]) => now - since >= lookEveryMs);
      standing.sort(([, a], [, b]) => a.since - b.since);
      for (const [one, known] of standing) if (held > limit) cut(one, known);
    }
    if (watched.size > 0) return;
    stopLooking?.();
    stopLooking = null;
  };

  return {
    watch: (one) => {
      if (watched.has(one)) return;
      const known = { left: one.bytesLeft, held: one.bytesHeld, since: clock.steady() };
      if (known.left === 0) return;
      watched.set(one, known);
      held += known.held;
      stopLooking ??= clock.every(lookEveryMs, look);
      // Stalled clients are cut first; where every client reads, the new one is cut.
      if (held > limit) look();
      if (held > limit && watched.size > 1 && watched.has(one)) cut(one, known);
    },
    get held() {
      return held;
    },
    get cut() {
      return cuts;
    },
    stop: () => {
      stopLooking?.();
      stopLooking = null;
      watched.clear();
    },
  };
}
