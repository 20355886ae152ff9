// Publishing: finds the type, encodes the payload once and passes the event to the broker.
import type { Clock } from '../../kernel/clock.ts';
import type { Publication } from '../../ports/stream.ts';
import { eventType, mergeKeyOf } from '../log/events.ts';
import type { StreamMetrics } from '../log/metrics.ts';
import { topicKey } from '../log/topics.ts';
import type { Broker } from './broker.ts';

/** A publication without its type's declaration; `Publisher` checks callers against that. */
export type AnyPublication = Omit<Publication, 'type' | 'data'> & { type: string; data: unknown };
export interface AnyPublisher {
  publish(publication: AnyPublication): Promise<void>;
}

/** The publisher over a broker. */
export function createPublisher(deps: { broker: Broker; clock: Clock; metrics: StreamMetrics }): AnyPublisher {
  const { broker, clock, metrics } = deps;
  return {
    async publish({ tenantId, topics, type, data, durable, fence, after }) {
      const known = eventType(type);
      if (!known) throw new Error(`no event type ${type}`);
      if (topics.length === 0) return;
      const kept = durable ?? known.durable;
      metrics.published++;
      try {
        await broker.append({
          keys: [...new Set(topics)].map((topic) => topicKey(tenantId, topic)),
          type,
          at: clock.now(),
          body: JSON.stringify(data),
          durable: kept,
          mergeKey: kept ? null : mergeKeyOf(type, data),
          fence: fence ?? null,
          ...(after && { after }),
        });
      } catch (error) {
        metrics.refused++;
        throw error;
      }
    },
  };
}
