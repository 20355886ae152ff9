// Processes of a sandbox, inspected and signalled from outside through /proc.
import { readdir, readFile } from 'node:fs/promises';

/** Descendants of a process, parents before children, without the process itself. */
export async function descendants(pid: number): Promise<number[]> {
  const found: number[] = [];
  for (let next = [pid]; next.length > 0; ) {
    next = (await Promise.all(next.map(children))).flat();
    found.push(...next);
  }
  return found;
}

async function children(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Sends a signal; false when the process is gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Stops all descendants of a process, repeatedly until two passes in a row find no new one. */
export async function stopDescendants(pid: number): Promise<void> {
  const stopped = new Set<number>();
  for (let calm = 0; calm < 2; ) {
    const fresh = (await descendants(pid)).filter((one) => !stopped.has(one));
    for (const one of fresh) {
      signal(one, 'SIGSTOP');
      stopped.add(one);
    }
    calm = fresh.length === 0 ? calm + 1 : 0;
  }
}

/** Memory and CPU time of a set of processes, summed. */
export async function usage(pids: number[]): Promise<{ memoryBytes: number; cpuMs: number }> {
  const each = await Promise.all(pids.map(usageOf));
  return {
    memoryBytes: each.reduce((sum, one) => sum + one.memoryBytes, 0),
    cpuMs: each.reduce((sum, one) => sum + one.cpuMs, 0),
  };
}

/** Linux reports times in ticks of 1/100 s (USER_HZ) and memory in pages, 4 KiB on the architectures we know. */
const tickMs = 10;
const pageBytes = 4096;

async function usageOf(pid: number): Promise<{ memoryBytes: number; cpuMs: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3] ?? 0);
  return { memoryBytes: field(24) * pageBytes, cpuMs: (field(14) + field(15)) * tickMs };
}

/** When a process started, in ticks since boot; null when it is gone. Tells a process from a later one of its pid. */
export async function startTime(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const value = text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  return value === undefined ? null : Number(value);
}
