// The promise of the stream layer: each event once and in order, or an explicit gap, whatever is cut, slow or restarted.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { check, checkNumbers, type Published } from './testing/check.ts';
import { createStand, type Stand, settle, TestClient } from './testing/stand.ts';

type Step =
  | { do: 'durable' | 'delta' | 'burst' | 'connect' | 'cut' | 'drain' | 'settle'; who: number }
  | { do: 'restart'; clean: boolean }
  | { do: 'idle' };

const who = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('durable' as const), who }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('delta' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('burst' as const), who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('connect' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cut' as const), who }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('drain' as const), who }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), clean: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('idle' as const) }) },
);

/** Plenty, or so little that windows lose events and topics leave all the time. */
const memory = fc.constantFrom(1_000_000, 50_000, 18_000);

class World {
  readonly published: Published[] = [];
  readonly clients = Array.from({ length: 4 }, (_, at) => {
    const client = new TestClient();
    client.patience = at;
    return client;
  });
  readonly #sent: Promise<void>[] = [];
  readonly stand: Stand;

  constructor(stand: Stand) {
    this.stand = stand;
  }

  publish(durable: boolean): void {
    const n = this.published.length;
    const text = `${n};`;
    this.published.push({ durable, n, text });
    const data = durable ? { n } : { runId: 1, iteration: 0, kind: 'Content', toolCallId: null, delta: text };
    const type = durable ? 'run.event' : 'run.delta';
    this.#sent.push(this.stand.publisher.publish({ tenantId: 1, topics: ['run:1', 'run-tree:1'], type, data }));
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'restart') return this.#restart(step.clean);
    if (step.do === 'idle') return this.#idle();
    const client = this.clients[step.who] as TestClient;
    if (step.do === 'durable') this.publish(true);
    else if (step.do === 'delta') this.publish(false);
    else if (step.do === 'burst') for (let n = 0; n < 90; n++) this.publish(n % 30 === 29);
    else if (step.do === 'connect') await client.connect(this.stand, 'run:1', client.lastEventId);
    else if (step.do === 'cut') client.cut();
    else if (step.do === 'drain') client.drain();
    else await settle(3);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#sent);
    for (const client of this.clients) {
      client.patience = 0;
      await client.connect(this.stand, 'run:1', client.lastEventId);
    }
    await settle();
  }

  async #restart(clean: boolean): Promise<void> {
    // What was not acknowledged may be lost with a process; that is its publisher's to repeat.
    await Promise.all(this.#sent);
    await settle();
    for (const client of this.clients) client.cut();
    await this.stand.restart(clean);
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#sent);
    await this.stand.clock.advance(120_000);
    this.stand.broker.sweep();
    await settle();
  }
}

test('each client gets each event once and in order, or is told of a gap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), memory, async (steps, bytes) => {
      const world = new World(await createStand({ entries: 64, characters: 100_000 }, 60_000, bytes));
      for (const client of world.clients) await client.connect(world.stand, 'run:1');
      for (const one of steps) await world.run(one);
      await world.finish();
      for (const client of world.clients) {
        expect(client.failed).toBeNull();
        check(client, world.published);
        checkNumbers(client.seen);
      }
    }),
    { numRuns: 150 },
  );
}, 300_000);
