// One process on a slow store, which can stop cleanly or die while its store stays.
import type { HttpAdapter } from '../../http/adapter.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { MemoryBroker } from '../brokers/one-process.ts';
import { createMemoryEventStore } from '../log/memory-event-store.ts';
import { hesitant, seeded, type World } from './every-layer.ts';
import { startTestServer, type TestServer } from './server.ts';

/** A clock whose timers end with its process. */
export function mortalClock(): { clock: Clock; stop(): void } {
  const stops: (() => void)[] = [];
  const every: Clock['every'] = (ms, run) => {
    const stop = systemClock.every(ms, run);
    stops.push(stop);
    return stop;
  };
  const stop = () => {
    for (const one of stops) one();
  };
  return { clock: { ...systemClock, every }, stop };
}

/** Starts the process; `close` stops the last one. */
export async function openMemoryWorld(adapter: HttpAdapter, seed: number): Promise<World & { close(): Promise<void> }> {
  const random = seeded(seed);
  const kept = createMemoryEventStore();
  const boot = async (): Promise<{ server: TestServer; stop(): void }> => {
    const { clock, stop } = mortalClock();
    const store = hesitant(kept, random);
    return {
      server: await startTestServer(adapter, { store, clock, broker: new MemoryBroker({ store, clock }) }),
      stop,
    };
  };
  let now = await boot();
  const restart = async () => {
    await now.server.close();
    now = await boot();
  };
  const die = async (cut: () => void) => {
    now.stop();
    await now.server.die(cut);
    now = await boot();
  };
  const port = () => Number(new URL(now.server.url).port);
  return {
    ports: () => [port(), port()],
    publisher: () => now.server.streams.publisher,
    troubles: { now: [], settled: [die, restart] },
    close: () => now.server.close(),
  };
}
