// Helpers for tests that make model calls: requests with defaults, and answers gathered from events.
import type { ModelEvent, ModelRequest } from '../../runtime/model.ts';
import type { SimulatedClock } from '../../src/kernel/simulated-clock.ts';

export function modelRequest(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    tenantId: 1,
    modelId: 'openai:gpt-5-mini',
    messages: [{ role: 'user', content: 'Hi' }],
    purpose: 'Chat',
    signal: new AbortController().signal,
    ...more,
  };
}

export interface Gathered {
  events: ModelEvent[];
  text: string;
  reasoning: string;
  error: unknown;
}

/** Reads a stream to its end; a given clock is moved over every wait for a retry. */
export async function gather(stream: AsyncIterable<ModelEvent>, clock?: SimulatedClock): Promise<Gathered> {
  const gathered: Gathered = { events: [], text: '', reasoning: '', error: null };
  const reader = stream[Symbol.asyncIterator]();
  try {
    for (let next = await reader.next(); !next.done; ) {
      const event = next.value;
      gathered.events.push(event);
      if (event.type === 'text') gathered.text += event.delta;
      if (event.type === 'reasoning') gathered.reasoning += event.delta;
      const following = reader.next();
      following.catch(() => {});
      if (event.type === 'retry' && clock) await clock.advance(event.delayMs);
      next = await following;
    }
  } catch (error) {
    gathered.error = error;
  }
  return gathered;
}

/** The events of one type. */
export const eventsOf = <T extends ModelEvent['type']>({ events }: Gathered, type: T) =>
  events.filter((event): event is Extract<ModelEvent, { type: T }> => event.type === type);
