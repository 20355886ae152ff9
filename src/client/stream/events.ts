// Events as the client hands them out, their payloads by type, and the state of a connection.
import type { EventPayloads } from '../../groups/events.ts';
import type { RealtimeEventDto } from '../../groups/realtime/dto.ts';

import { nullable } from './nullable.ts';

export type { EventPayloads };

type Frame = Omit<RealtimeEventDto, 'type' | 'data'>;
/** An event whose payload type follows from its `type`. */
export type KnownEvent = {
  [T in keyof EventPayloads]: Frame & { type: T; data: EventPayloads[T] };
}[keyof EventPayloads];
/** Any event, as it came over the wire. */
export type RawEvent = RealtimeEventDto;

/** Gives an event its payload type; types that are not in `EventPayloads` simply match no case. */
export function known(event: RawEvent): KnownEvent {
  return event as unknown as KnownEvent;
}

/** An event with the nulls that the wire left out. */
export function whole(event: RawEvent): RawEvent {
  const { data } = event;
  for (const name of nullable[event.type]?.split(' ') ?? []) if (data[name] === undefined) data[name] = null;
  return event;
}

export type ConnectionPhase = 'connecting' | 'live' | 'resuming' | 'offline' | 'closed';

export interface ConnectionState {
  phase: ConnectionPhase;
  /** When this phase began, ms since the epoch. */
  since: number;
  /** Attempts to connect since it was last live. */
  attempt: number;
  /** Round trip of the last ping, ms; null until one was measured. */
  latencyMs: number | null;
  /** Events still to be caught up on after a resume; null when the transport does not tell. */
  behind: number | null;
  transport: 'ws' | 'sse';
  /** Why it is offline or closed. */
  reason: string | null;
}
