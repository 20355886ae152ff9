import { afterEach, expect, it, vi } from 'vitest';
import { processMemory } from './process-memory.ts';

afterEach(() => vi.restoreAllMocks());

const failing = (code: string) =>
  vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw Object.assign(new Error(`${code}: uv_resident_set_memory`), { code });
  });

it('is as it was last while no file descriptor is left to read it with', () => {
  const { rss } = processMemory();
  expect(rss).toBeGreaterThan(1_000_000);
  failing('EMFILE');
  expect(processMemory()).toMatchObject({ rss, heapUsed: expect.any(Number), external: expect.any(Number) });
});

it('fails as the system does otherwise', () => {
  failing('EACCES');
  expect(processMemory).toThrow('EACCES');
});
