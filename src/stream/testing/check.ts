// Promises to every client of a stream, checked against the published events.
import { expect } from 'vitest';
import type { SeenEvent, TestClient } from './stand.ts';

export interface Published {
  durable: boolean;
  /** Number in the order of publication. */
  n: number;
  text: string;
}

/** Checks a client's events against the published ones; throws on a repeat, a wrong order or an unreported gap. */
export function check(client: Pick<TestClient, 'seen' | 'connections'>, published: readonly Published[]): void {
  let next = 0;
  let gap = false;
  const take = (n: number) => {
    expect(n, 'no repeat').toBeGreaterThanOrEqual(next);
    const missed = published.slice(next, n);
    expect(
      missed.filter((event) => event.durable),
      'durable events are never missed',
    ).toEqual([]);
    if (missed.length > 0) expect(gap, `missed ${next}..${n - 1} without a gap`).toBe(true);
    next = n + 1;
  };
  for (const [at, event] of client.seen.entries()) {
    // A gap is reported on the connection that misses events; its own id stands after the missing ones.
    if (client.connections.includes(at)) gap = client.seen[at - 1]?.type === 'stream.gap';
    if (event.type === 'stream.gap') gap = true;
    else if (event.type === 'run.event') take(event.data.n as number);
    else for (const part of String(event.data.delta).split(';').slice(0, -1)) take(Number(part));
  }
  if (client.connections.includes(client.seen.length)) gap = client.seen.at(-1)?.type === 'stream.gap';
  take(published.length);
}

/** Within an epoch numbers only grow, and epochs never return. */
export function checkNumbers(seen: readonly SeenEvent[]): void {
  const epochs = new Map<string, number>();
  let current = '';
  for (const { epoch, seq, type } of seen) {
    if (epoch !== current) expect(epochs.has(epoch)).toBe(false);
    current = epoch;
    const last = epochs.get(epoch) ?? -1;
    if (type === 'stream.gap') expect(seq).toBeGreaterThanOrEqual(last);
    else expect(seq).toBeGreaterThan(last);
    epochs.set(epoch, seq);
  }
}
