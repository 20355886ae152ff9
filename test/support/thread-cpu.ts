// What a computation costs, whatever else the machine, the process or another of its threads does meanwhile.
import { readFileSync } from 'node:fs';

/** CPU time of this thread in ms; that of the whole process where the system does not tell it. */
export function threadCpuMs(): number {
  try {
    // The first number is the time that the thread has run, in ns (Linux, Documentation/scheduler/sched-stats).
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return process.cpuUsage().user / 1000;
  }
}
