import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { Collection } from '../../ports/db.ts';
import type { EntryDoc } from './documents.ts';
import { createUnreadCounts } from './unread.ts';

/** A store that counts when it is told to. */
function slowStore() {
  const asked: { resolve: (count: number) => void; reject: (error: Error) => void }[] = [];
  const countDocuments = () => new Promise<number>((resolve, reject) => asked.push({ resolve, reject }));
  const clock = new SimulatedClock();
  const counts = createUnreadCounts({ entries: () => ({ countDocuments }) as unknown as Collection<EntryDoc>, clock });
  return { asked, clock, counts };
}

describe('unread counts', () => {
  it('are counted once for all who ask at the same time', async () => {
    const { asked, counts } = slowStore();
    const both = Promise.all([counts.of(1, 7), counts.of(1, 7)]);
    asked[0]?.resolve(3);
    expect(await both).toEqual([3, 3]);
    expect(counts.of(1, 7)).toBe(3);
    expect(asked).toHaveLength(1);
  });

  it('are not kept when a write overtook the count', async () => {
    const { asked, counts } = slowStore();
    const before = counts.of(1, 7);
    counts.changed(7);
    const after = counts.of(1, 7);
    asked[1]?.resolve(1);
    expect(await after).toBe(1);
    asked[0]?.resolve(0);
    expect(await before).toBe(0);
    expect(counts.of(1, 7)).toBe(1);
  });

  it('are counted again after a failure, and after a second for what other nodes wrote', async () => {
    const { asked, clock, counts } = slowStore();
    const failing = counts.of(1, 7);
    asked[0]?.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    const next = counts.of(1, 7);
    asked[1]?.resolve(2);
    expect(await next).toBe(2);
    await clock.advance(1001);
    expect(counts.of(1, 7)).toBeInstanceOf(Promise);
  });
});
