// Promises to every client of a stream, checked against the published events.
import { expect } from 'vitest';
import type { SeenEvent, TestClient } from './stand.ts';

export interface Published {
  durable: boolean;
  /** Number in the order of publication. */
  n: number;
  text: string;
}

/**
 * Checks a client's events against the published ones; throws on a repeat, a wrong order or an unreported gap.
 * There are millions of them, and an expectation takes longer than to send an event: only what is wrong comes to one.
 */
export function check(client: Pick<TestClient, 'seen' | 'connections'>, published: readonly Published[]): void {
  let next = 0;
  let gap = false;
  const take = (n: number) => {
    if (!(n >= next)) expect.fail(`no repeat: ${n} came where ${next} was next`);
    for (let at = next; at < n; at++)
      if (published[at]?.durable) expect.fail(`durable events are never missed: ${at} of ${next}..${n - 1}`);
    if (n > next && !gap) expect.fail(`missed ${next}..${n - 1} without a gap`);
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
    if (epoch !== current && epochs.has(epoch)) expect.fail(`epoch ${epoch} came back after ${current}`);
    current = epoch;
    const last = epochs.get(epoch) ?? -1;
    const grows = type === 'stream.gap' ? seq >= last : seq > last;
    if (!grows) expect.fail(`${type} ${seq} after ${last} in epoch ${epoch}`);
    epochs.set(epoch, seq);
  }
}
