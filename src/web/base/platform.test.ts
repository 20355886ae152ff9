import { afterEach, expect, it, vi } from 'vitest';
import { exclusively, newId } from './platform.ts';

afterEach(() => vi.unstubAllGlobals());

it('makes ids where randomUUID is not offered', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(ids).size).toBe(100);
});

it('runs one thing at a time where locks are not offered', async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setTimeout(resolve));
    inside -= 1;
    return 'done';
  };
  expect(await Promise.all([1, 2, 3].map(() => exclusively('test', work)))).toEqual(['done', 'done', 'done']);
  expect(most).toBe(1);
  expect([...kept]).toEqual([]);
});
