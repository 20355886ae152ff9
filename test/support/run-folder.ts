// Each run of tests has a temporary folder of its own, which goes when the run ends: workers are ended before they could
// tidy up behind themselves.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

let folder: string;

/** For Vitest's process; workers inherit its environment. */
export function setup(): void {
  // Short, since paths of sockets and of Podman's state may have 50 characters below it.
  folder = mkdtempSync(join(tmpdir(), 'rvt-'));
  // As open as the system's: commands in sandboxes run as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

/** A browser that ends with its worker writes to its profile until it is gone: at most 10 s. */
export async function teardown(): Promise<void> {
  for (let tries = 100; ; tries -= 1)
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(100);
    }
}
