// What several test processes build is built by one of them, once; the others wait.
import { mkdir, readFile, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which a lock counts no more that its process has not renewed, and between two renewals. */
const staleMs = 60_000;
const renewalMs = 5000;

/** Holds a folder while it works; a lock that was left behind counts for a minute. */
export async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = join(folder, 'building');
  await mkdir(folder, { recursive: true });
  while (!(await taken(lock))) await sleep(100);
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => {});
  }, renewalMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await rmdir(lock);
  }
}

/** Builds into a folder unless that was done by the same stamp before. */
export async function unlessBuilt(folder: string, stamp: string, build: () => Promise<void>): Promise<void> {
  const file = join(folder, 'stamp');
  if ((await readFile(file, 'utf8').catch(() => '')) === stamp) return;
  await build();
  await writeFile(file, stamp);
}

async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rmdir(lock).catch(() => {});
    return false;
  }
}
