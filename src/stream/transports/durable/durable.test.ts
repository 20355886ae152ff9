// Offsets that sort as texts, cursors that only grow, and what is gone, in one process.
import { describe, expect, test } from 'vitest';
import { nodeAdapter } from '../../../http/adapters/node/server.ts';
import { systemClock as clock } from '../../../kernel/clock.ts';
import { MemoryBroker } from '../../brokers/one-process.ts';
import { createMemoryEventStore } from '../../log/memory-event-store.ts';
import { startDurableServer } from '../../testing/durable-writes.ts';
import { formatOffset, nextCursor, parseOffset } from './offset.ts';

describe('offsets', () => {
  test('sort as texts as their positions do, and are read back', () => {
    const places = [0, 1, 35, 36, 1e6, 1e15].flatMap((seq) => [1, 2, 40].map((gen) => ({ gen, seq })));
    const sorted = places.toSorted((a, b) => a.gen - b.gen || a.seq - b.seq);
    const offsets = sorted.map((place) => formatOffset(place, 'home-1'));
    expect(offsets.toSorted()).toEqual(offsets);
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(offsets.map((offset) => parseOffset(offset, 'home-1'))).toEqual(sorted);
  });

  test.each(['', '0', '-2', 'a,b', '../x', '000001_00000000001_', '000001_00000000001_x\n'])('refuse %j', (text) => {
    expect(() => parseOffset(text, 'x')).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }));
  });

  test('of another store are gone', () => {
    expect(() => parseOffset(formatOffset({ gen: 1, seq: 1 }, 'other'), 'x')).toThrow(
      expect.objectContaining({ code: 'GONE', status: 410 }),
    );
  });
});

describe('cursors', () => {
  const now = Date.UTC(2026, 0, 1);
  const current = Number(nextCursor(now, null));

  test('count intervals of 20 s', () => {
    expect(Number(nextCursor(now + 20_000, null))).toBe(current + 1);
    expect(nextCursor(now, String(current - 5))).toBe(String(current));
  });

  test.each([0, 0.5, 0.999])('grow beyond the one that was sent, by an hour at most', (random) => {
    const next = Number(nextCursor(now, String(current + 7), () => random));
    expect(next).toBeGreaterThan(current + 7);
    expect(next - current - 7).toBeLessThanOrEqual(180);
  });
});

test('what follows an offset that is no longer kept is gone, and the rest is read from the start', async () => {
  const store = createMemoryEventStore();
  const broker = new MemoryBroker({ store, clock, limits: { entries: 4, characters: 4096 } });
  const server = await startDurableServer(nodeAdapter, { store, broker });
  const url = `${server.url}/stream`;
  const headers = { 'content-type': 'application/json' };
  const offsets: string[] = [];
  try {
    await fetch(url, { method: 'PUT', headers });
    for (let at = 0; at < 20; at++) {
      const written = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ at }) });
      offsets.push(written.headers.get('stream-next-offset') ?? '');
    }
    const after = async (offset: string | undefined) => {
      const answer = await fetch(`${url}?offset=${offset}`);
      return [answer.status, answer.ok ? ((await answer.json()) as { at: number }[]).map(({ at }) => at) : null];
    };
    expect(await after(offsets[15])).toEqual([200, [16, 17, 18, 19]]);
    expect(await after(offsets[0])).toEqual([200, Array.from({ length: 19 }, (_, at) => at + 1)]);
    await store.trim(clock.now() + 1000);
    expect(await after(offsets[0])).toEqual([410, null]);
    expect(await after(offsets[19])).toEqual([200, []]);
    expect((await after('-1'))[0]).toBe(200);
  } finally {
    await server.close();
  }
});
