// Installs the clients of others into a cache folder, each set of packages once for its versions.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientSet, installers, programs } from './installers.ts';

/** A set that is there, with the versions that were installed; or why it is not. */
export type Installed = { folder: string; versions: Record<string, string> } | { skipped: string };

const here = dirname(fileURLToPath(import.meta.url));
/** Kept between runs; `RIVULET_CLIENTS_CACHE` lets CI keep it outside its clone. */
export const cache = (process.env.RIVULET_CLIENTS_CACHE ?? join(here, '.cache')).replace(/^~(?=\/)/, homedir());

export const readSets = async (): Promise<Record<string, ClientSet>> =>
  JSON.parse(await readFile(join(here, 'versions.json'), 'utf8'));

/** Installs one set unless it is there; `newest` ignores what is pinned, and installs again. Never rejects. */
export async function install(name: string, set: ClientSet, newest: boolean): Promise<Installed> {
  const { kind, packages, alone, source } = set;
  const key = createHash('sha256')
    .update(JSON.stringify([{ kind, packages, alone, source }, await sourceOf(set), process.version]))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, newest ? `${name}-newest` : `${name}-${key}`);
  const marker = join(folder, 'installed.json');
  if (!newest) {
    const there = await readFile(marker, 'utf8').catch(() => null);
    if (there) return JSON.parse(there) as Installed;
  }
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const installed: Installed = { folder, versions: await installers[set.kind](folder, set, newest) };
    await writeFile(marker, JSON.stringify(installed));
    return installed;
  } catch (error) {
    return { skipped: (error as Error).message };
  }
}

/** What is built with the packages of a set. */
async function sourceOf({ source }: ClientSet): Promise<string[]> {
  if (!source) return [];
  const files = (await readdir(join(programs, source))).sort();
  return Promise.all(files.map((file) => readFile(join(programs, source, file), 'utf8')));
}
