// Outlet: the port through which a transport receives a viewer's events.
import type { Batch } from '../log/batch.ts';

/** A subscribed topic and the client's position in it. */
export interface Place {
  readonly topic: string;
  /** Id of the last event that was sent or passed over. */
  readonly cursor: string;
}

export interface Outlet {
  /** False while the client can take no more; the transport calls `viewer.resume` afterwards. */
  readonly writable: boolean;
  /** Sends a batch, in one write unless inside `cork`. */
  send(place: Place, batch: Batch): void;
  /** Groups the sends of `run` in one write. */
  cork(run: () => void): void;
  /** Ends the connection because the log could not be read; the client must reconnect with its cursor. */
  fail(error: unknown): void;
  /** Called when all available events have been sent. */
  idle?(): void;
  /** Called when a topic followed until its end has reached it. */
  over?(place: Place): void;
}
