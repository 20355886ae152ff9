// An outbox: deliveries that wait to be sent, each entered once, before whoever published its event goes on.
import type { DeliveryStatus } from '../../contract/enums.ts';
import type { Entity } from '../../ports/db.ts';

/** What the courier knows of a delivery; each kind has more. */
export interface Waiting extends Entity {
  _id: number;
  tenantId: number;
  status: DeliveryStatus;
  attempt: number;
  maxAttempts: number;
  error: string | null;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  endedAt: Date | null;
  /** The node that is sending it, and until when the others leave it alone. */
  sender: string | null;
  /** When somebody has to look at it: its next attempt, or the end of its sender's lease; null when it has ended. */
  due: Date | null;
  /** A server stopped between an attempt and its answer. */
  mayBeRepeated: boolean;
  /** Requests that had it sent again. */
  marks?: string[] | undefined;
}

export const waiting = ['Pending', 'Retrying'] as const;

/** Whether a delivery has not ended. */
export const isOpen = ({ status }: Pick<Waiting, 'status'>): boolean =>
  status === 'Delivering' || (waiting as readonly string[]).includes(status);

/** What a delivery begins with that is due at once. */
export const newlyWaiting = (now: Date) => ({
  ...{ status: 'Pending' as const, attempt: 0, due: now, nextAttemptAt: now, endedAt: null, deliveredAt: null },
  ...{ error: null, sender: null, mayBeRepeated: false },
});

/** What a delivery is that ends before it was sent. */
export const dropped = (now: Date, why: string) => ({
  ...{ status: 'Dropped' as const, error: why, due: null, nextAttemptAt: null, endedAt: now },
});

/** Something of a tenant that events are sent to, with what it takes: all of them, or those that an event may be for. */
interface Takers<Taker> {
  /** Where they are in memory. */
  ready(tenantId: number, event: Told): readonly Taker[] | null | undefined;
  read(tenantId: number, event: Told): Promise<readonly Taker[]>;
}

/** An event, as far as it is looked at. */
interface Told {
  tenantId: number;
  type: string;
  topics: readonly string[];
  data: unknown;
}

/** Hears events for an outbox: `put` enters one for each that takes it; it may be there already. */
export function createListener<Taker extends { takes(event: Told): boolean }, Heard extends Told>(deps: {
  takers: Takers<Taker>;
  put(taker: Taker, event: Heard): Promise<void>;
  /** Something waits to be sent. */
  poke(): void;
}) {
  const { takers, put, poke } = deps;
  const takersOf = (ready: readonly Taker[], event: Told) => ready.filter((one) => one.takes(event));
  return {
    /** Null while what listens in the tenant is not in memory. */
    takes(event: Told): boolean | null {
      const ready = takers.ready(event.tenantId, event);
      return ready ? takersOf(ready, event).length > 0 : null;
    },
    ready: takers.read,
    /** Resolves when an event is in the outbox of each that takes it. */
    async take(event: Heard): Promise<void> {
      const taking = takersOf(await takers.read(event.tenantId, event), event);
      const failures: unknown[] = [];
      // The others get it all the same.
      for (const one of taking) await put(one, event).catch((error: unknown) => failures.push(error));
      if (taking.length > 0) poke();
      if (failures.length > 0) throw failures[0];
    },
  };
}
