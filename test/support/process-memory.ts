// The memory of a server's process over a time, as the system and the server itself count it.
import { readFileSync, writeFileSync } from 'node:fs';
import type { ChildServer } from './child-server.ts';

/** In MB of 2^20 bytes. */
export interface MemoryTaken {
  /** What the process took more at its peak than at the beginning. */
  process: number;
  /** The same of the heap of JavaScript, garbage with it, sampled twice a second. */
  heap: number;
}

/** False where the system does not tell of processes. */
export const tellsMemory = process.platform === 'linux';

const mb = 2 ** 20;

/** Does the work, and tells what memory of the server it took. */
export async function memoryOf(server: ChildServer, work: () => Promise<unknown>): Promise<MemoryTaken> {
  const told = (name: string): number => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  };
  const heapUsed = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${server.key}` };
    const text = await (await fetch(`${server.baseUrl}/api/system/metrics`, { headers })).text();
    return Number(/^rivulet_nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1]) / mb;
  };
  // The peak is counted from here on.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
  const before = { process: told('VmRSS'), heap: await heapUsed() };
  let heap = before.heap;
  let looks = Promise.resolve();
  const timer = setInterval(() => {
    looks = looks.then(async () => {
      heap = Math.max(heap, await heapUsed());
    });
  }, 500);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await looks;
  }
  return { process: Math.round(told('VmHWM') - before.process), heap: Math.round(heap - before.heap) };
}
