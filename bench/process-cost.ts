// CPU time and memory of processes as Linux counts them, so that a peer in another language is measured like our own.
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of all threads of some processes, in seconds. */
export function cpuSeconds(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
  }
  return nanoseconds / 1e9;
}

/** Memory that is in use, in bytes; the kernel's buffers of sockets are not in it. */
export function residentBytes(pids: readonly number[]): number {
  let kib = 0;
  for (const pid of pids) kib += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return kib * 1024;
}

/** Memory that the kernel holds for TCP sockets of the whole machine, in bytes. */
export function kernelSocketBytes(): number {
  const pages = /^TCP:.* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1] ?? 0;
  return Number(pages) * 4096;
}

/** The children of a process, e.g. nginx's workers. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** A process and all that descend from it. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];
