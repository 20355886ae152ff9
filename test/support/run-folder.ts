// Each run of tests has a temporary folder of its own, which goes when the run ends: workers are ended before they could
// tidy up behind themselves.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

/** For Vitest's process; workers inherit its environment. */
export function setup(): void {
  // Short, since paths of sockets and of Podman's state may have 50 characters below it.
  folder = mkdtempSync(join(tmpdir(), 'rvt-'));
  // As open as the system's: commands in sandboxes run as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

/** A browser that ends with its worker writes to its profile until it is gone: tries for 5.5 s. */
export const teardown = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
