// Each run of tests has a temporary folder of its own, which goes when the run ends: workers are ended before they could
// tidy up behind themselves.
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps its files in memory. */
const memory = '/dev/shm';
/** Far more than stores of tests take; containers have 64 MB there. */
const roomBytes = 1 << 30;
let folders: string[];

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= roomBytes;
  } catch {
    return false;
  }
}

/** For Vitest's process; workers inherit its environment. */
export function setup(): void {
  // Short, since paths of sockets and of Podman's state may have 50 characters below it.
  const folder = mkdtempSync(join(tmpdir(), 'rvt-'));
  // As open as the system's: commands in sandboxes run as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  // Stores that need not outlive their test: closing one on a disk took ten times as long.
  const stores = hasRoom() ? mkdtempSync(join(memory, 'rvt-')) : folder;
  process.env.RIVULET_TEST_STORES = stores;
  folders = [folder, stores];
}

/** A browser that ends with its worker writes to its profile until it is gone: tries for 5.5 s. */
export const teardown = () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
};
