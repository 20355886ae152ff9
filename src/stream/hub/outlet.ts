// Where a viewer's events go: what each transport gives the hub.
import type { Batch } from '../log/batch.ts';

/** A topic that a client follows, and how far it is. */
export interface Place {
  readonly topic: string;
  /** Id of the last event that was sent or passed over. */
  readonly cursor: string;
}

export interface Outlet {
  /** False while the client can take no more: the transport calls `viewer.resume` when it can again. */
  readonly writable: boolean;
  /** One write, outside of `cork`. */
  send(place: Place, batch: Batch): void;
  /** Groups the sends of `run` in one write. */
  cork(run: () => void): void;
  /** The log could not be read on; the client must come back with its cursor. */
  fail(error: unknown): void;
  /** Everything that is there has been sent. */
  idle?(): void;
  /** A place that is followed until its subject ends has come to that end. */
  over?(place: Place): void;
}
