// Search for processes on the host.
import { readdirSync, readFileSync } from 'node:fs';

/** Ids of other processes whose command line contains the text; its words are separated by NUL. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}
