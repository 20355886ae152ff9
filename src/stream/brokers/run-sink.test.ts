import { describe, expect, it } from 'vitest';
import type { Emission } from '../../../runtime/views/emission.ts';
import type { EventView, RunView } from '../../../runtime/views/run.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import type { Publication } from '../../ports/stream.ts';
import { createRunSink } from './run-sink.ts';

const stored: StoredEvent[] = [];
let reads = 0;

function sinkOver(published: Publication[]) {
  return createRunSink({
    publisher: { publish: async (event) => void published.push(event) },
    store: {
      tail: async () => {
        reads++;
        return stored;
      },
    },
  });
}

const event = (seq: number): Emission => ({
  tenantId: 1,
  topics: ['run:7', 'run-tree:7'],
  type: 'run.event',
  data: { runId: 7, seq } as EventView,
  durable: true,
  key: `run.event:7:${seq}`,
});
const status = (type: 'run.created' | 'run.status' | 'run.updated' | 'run.ended', mark: number | string): Emission => ({
  ...event(0),
  type,
  data: { id: 7 } as RunView,
  key: `${type}:7:${mark}`,
});
const keep = (emission: Emission) =>
  stored.push({
    key: '1/run:7',
    type: emission.type,
    at: 0,
    gen: 1,
    seq: stored.length + 1,
    body: JSON.stringify(emission.data),
  });
const labels = (published: Publication[]) =>
  published.map(({ type, data }) => `${type} ${(data as { seq?: number }).seq ?? ''}`.trim());

describe('run sink', () => {
  it('publishes a new run without reading', async () => {
    reads = 0;
    const published: Publication[] = [];
    const sink = sinkOver(published);
    await sink.publish([status('run.created', 1), event(1), status('run.status', 1)]);
    expect(labels(published)).toEqual(['run.created', 'run.event 1', 'run.status']);
    expect(reads).toBe(0);
  });

  it('drops what the stream has, publishes the rest, and keeps the order', async () => {
    stored.length = 0;
    for (const emission of [status('run.created', 1), event(1), status('run.status', 1), event(2)]) keep(emission);
    reads = 0;
    const published: Publication[] = [];
    const sink = sinkOver(published);
    const first = sink.publish([
      event(1),
      status('run.status', 1),
      event(2),
      status('run.status', 2),
      status('run.ended', 2),
    ]);
    const second = sink.publish([event(3)]);
    await Promise.all([first, second]);
    expect(labels(published)).toEqual(['run.status', 'run.ended', 'run.event 3']);
    expect(reads).toBe(1);
  });

  it('does not take a run that is told once more for a new one', async () => {
    stored.length = 0;
    for (const emission of [status('run.created', 1), event(1)]) keep(emission);
    const published: Publication[] = [];
    const sink = sinkOver(published);
    const again = [status('run.created', 1), event(1), event(2)].map((emission) => ({ ...emission, again: true }));
    await sink.publish(again);
    expect(labels(published)).toEqual(['run.event 2']);
  });

  it('passes the owner on, so that a dead one is refused', async () => {
    const published: Publication[] = [];
    await sinkOver(published).publish([{ ...event(3), fence: { runId: 7, token: 4 } }]);
    expect(published).toMatchObject([{ fence: { scope: 'run:7', token: 4 } }]);
  });

  it('tries to read again after a failed read', async () => {
    let failing = true;
    const published: Publication[] = [];
    const sink = createRunSink({
      publisher: { publish: async (publication) => void published.push(publication) },
      store: { tail: async () => (failing ? Promise.reject(new Error('store')) : []) },
    });
    await expect(sink.publish([event(1)])).rejects.toThrow('store');
    failing = false;
    await sink.publish([event(1)]);
    expect(labels(published)).toEqual(['run.event 1']);
  });
});
