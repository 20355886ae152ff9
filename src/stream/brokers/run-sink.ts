// Event sink of the engine on the stream layer: events repeated after a crash are published once.
import type { Emission, EventSink, Told } from '../../../runtime/views/emission.ts';
import { createLru } from '../../kernel/lru.ts';
import type { EventStore, StoredEvent } from '../../ports/event-store.ts';
import type { Payloads, Publisher } from '../../ports/stream.ts';
import { topicKey } from '../log/topics.ts';

interface Deps {
  publisher: Publisher;
  store: Pick<EventStore, 'tail'>;
}

/** Limit of remembered events per run: a crash repeats those of the last step, at most a repair's batch. */
const remembered = 2000;
/** Limit of runs with state in memory; an evicted one costs one read. */
const runsKept = 10_000;

type Declared = { [Type in keyof Told]: { type: Type; data: Payloads[Type] } }[keyof Told];
type Known = ReadonlySet<string> | Promise<ReadonlySet<string>>;
const nothingKnown: ReadonlySet<string> = new Set();

/**
 * The engine publishes a step's events after it has stored them, and again when the first attempt is uncertain. On the
 * first event of a run, the sink reads the end of the run's topic, and drops events that are there already.
 */
export function createRunSink({ publisher, store }: Deps): EventSink {
  const runs = createLru<string, { known: Known }>(runsKept);

  const publish = async (emission: Emission, known: ReadonlySet<string>): Promise<void> => {
    const { tenantId, topics, durable, key, fence, order } = emission;
    // The compiler checks the engine's payloads against the declared events, type by type.
    const { type, data }: Declared = emission;
    const place = order === undefined ? {} : { order };
    const owner = fence ? { fence: { scope: `run:${fence.runId}`, token: fence.token, ...place } } : {};
    const publication = { tenantId, topics, type, data, durable, ...owner, ...(key === null ? {} : { key }) };
    if (key === null || !known.has(key)) await publisher.publish(publication);
  };

  const accept = (emission: Emission): Promise<void> => {
    const topic = emission.topics.find((name) => name.startsWith('run:'));
    if (!topic || emission.key === null) return publish(emission, nothingKnown);
    const name = topicKey(emission.tenantId, topic);
    let run = runs.get(name);
    if (!run) {
      const first = emission.type === 'run.created' && !emission.again;
      const opened: { known: Known } = { known: nothingKnown };
      // A new run has no past. Any other's is read first, and its events wait in order meanwhile.
      if (!first) {
        const loading = store.tail(name, remembered).then(keysOf);
        opened.known = loading;
        loading.then(
          (keys) => {
            opened.known = keys.size > 0 ? keys : nothingKnown;
          },
          () => runs.delete(name),
        );
      }
      run = opened;
      runs.set(name, run);
    }
    const { known } = run;
    const published =
      known instanceof Promise ? known.then((keys) => publish(emission, keys)) : publish(emission, known);
    return published.catch((error: unknown) => {
      // The outcome is unknown: the topic is read again next time.
      runs.delete(name);
      throw error;
    });
  };

  return { publish: async (emissions) => void (await Promise.all(emissions.map(accept))) };
}

/**
 * Keys of stored events. Emissions between two `run.event`s belong to the first, so they carry its
 * number.
 */
function keysOf(events: readonly StoredEvent[]): ReadonlySet<string> {
  const keys = new Set<string>();
  let last: { runId: number; seq: number } | null = null;
  for (const event of events) {
    if (event.type === 'run.event') {
      const { runId, seq } = JSON.parse(event.body) as { runId: number; seq: number };
      last = { runId, seq };
      keys.add(`run.event:${runId}:${seq}`);
    } else if (event.type === 'run.created') {
      const { id } = JSON.parse(event.body) as { id: number };
      keys.add(`run.created:${id}:1`);
    } else if (last) keys.add(`${event.type}:${last.runId}:${last.seq}`);
  }
  return keys;
}
