// An EventSink in memory that drops repeated keys as a durable log would.
import type { Emission, EventSink } from '../views/emission.ts';

export interface MemorySink extends EventSink {
  readonly emissions: Emission[];
  /** Emissions on one topic, in order. */
  on(topic: string): Emission[];
}

/** An empty sink. */
export function createMemorySink(): MemorySink {
  const emissions: Emission[] = [];
  const keys = new Set<string>();
  return {
    emissions,
    on: (topic) => emissions.filter((one) => one.topics.includes(topic)),
    publish(batch) {
      for (const one of batch) {
        if (one.key !== null && keys.has(one.key)) continue;
        if (one.key !== null) keys.add(one.key);
        emissions.push(one);
      }
      return undefined;
    },
  };
}
