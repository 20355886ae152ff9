// Open files without a name: those that processes hold open or mapped after they were deleted.
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { type DiskUsage, isPast } from './disk-usage.ts';

/** Limit of concurrent reads. */
const atOnce = 64;
/** A line of `/proc/<pid>/maps` for a deleted file, with its addresses. */
const goneMapping = /^([0-9a-f]+)-([0-9a-f]+) .* \(deleted\)$/gm;

/** Host ids of all processes in the pid namespace of one of them, itself included; none where they are not visible. */
export async function sameNamespace(pid: number): Promise<number[]> {
  const own = await namespaceOf('self');
  const wanted = await namespaceOf(pid);
  // In the server's own namespace the search would find all processes of the host.
  if (wanted === null || wanted === own) return [];
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await eachOf(all, async (name) => ((await namespaceOf(name)) === wanted ? Number(name) : null));
  return found.filter((one) => one !== null);
}

const namespaceOf = (pid: number | string) => readlink(`/proc/${pid}/ns/pid`).catch(() => null);

/**
 * Space and number of the files without a name that processes hold on the file systems of some directories, each
 * counted
 * once. Stops early once `limits` are passed. What this server may not read counts as nothing.
 */
export async function namelessUsage(
  pids: readonly number[],
  directories: readonly string[],
  limits?: DiskUsage,
): Promise<DiskUsage> {
  const devices = new Set(await Promise.all(directories.map(async (one) => (await look(one))?.dev ?? null)));
  const total: DiskUsage = { bytes: 0, files: 0 };
  const seen = new Set<string>();
  const count = ({ dev, ino, size, blocks }: Found) => {
    if (!devices.has(dev) || seen.has(`${dev} ${ino}`)) return;
    seen.add(`${dev} ${ino}`);
    total.files += 1;
    total.bytes += Math.max(size, blocks * 512);
  };
  for (const pid of pids) {
    const open = (await readdir(`/proc/${pid}/fd`).catch(() => [])).map((name) => `/proc/${pid}/fd/${name}`);
    const found = await eachOf([...open, ...(await mapped(pid))], look);
    for (const one of found) if (one?.isNameless) count(one);
    if (limits && isPast(total, limits)) break;
  }
  return total;
}

interface Found {
  dev: number;
  ino: number;
  size: number;
  blocks: number;
  isNameless: boolean;
}

async function look(path: string): Promise<Found | null> {
  const found = await stat(path).catch(() => null);
  if (!found) return null;
  const { dev, ino, size, blocks } = found;
  return { dev, ino, size, blocks, isNameless: found.isFile() && found.nlink === 0 };
}

/** Paths of the mapped files of a process that were deleted; a mapping outlives its descriptor. */
async function mapped(pid: number): Promise<string[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  return [...maps.matchAll(goneMapping)].map(([, from, to]) => `/proc/${pid}/map_files/${from}-${to}`);
}

async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  return results;
}
