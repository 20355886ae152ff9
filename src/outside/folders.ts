// Files below a folder that the operator allowed: listed, read, written and removed; links lead nowhere else.
import { mkdir, open, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../kernel/fault.ts';

export interface FileWork {
  method: string;
  /** Path below the folder. */
  path: string;
  /** What is written. */
  text: string | null;
  mostBytes: number;
}

/** The real folder of a connector. @throws Fault NOT_CONFIGURED */
export async function folderOf(baseUrl: string, allowed: readonly string[]): Promise<string> {
  try {
    const folder = await realpath(fileURLToPath(baseUrl));
    for (const one of allowed) {
      const root = await realpath(one);
      if ((folder === root || folder.startsWith(join(root, sep))) && (await stat(folder)).isDirectory()) return folder;
    }
  } catch {
    // Told below: whether a folder is there is not for everybody to know.
  }
  throw new Fault('NOT_CONFIGURED', 'This folder is not one that connectors may use.', {
    hint: 'Ask the operator to set RIVULET_CONNECTOR_FOLDERS.',
    isFinal: true,
  });
}

/** @throws Fault NOT_FOUND, FORBIDDEN for what lies elsewhere, CONNECTOR_ERROR */
export async function workOnFile(folder: string, { method, path, text, mostBytes }: FileWork): Promise<unknown> {
  const target = await placeIn(folder, path, method === 'Put' || method === 'Post');
  try {
    if (method === 'Put' || method === 'Post') {
      await writeFile(target, text ?? '', { flag: method === 'Post' ? 'wx' : 'w' });
      return { written: Buffer.byteLength(text ?? '') };
    }
    if (method === 'Delete') {
      await rm(target);
      return { removed: true };
    }
    if ((await stat(target)).isDirectory()) {
      const found = await readdir(target, { withFileTypes: true });
      return found.slice(0, 1000).map((one) => ({ name: one.name, isFolder: one.isDirectory() }));
    }
    return await read(target, mostBytes);
  } catch (error) {
    throw new Fault(
      'CONNECTOR_ERROR',
      `The file could not be used: ${(error as { code?: string }).code ?? 'unknown'}.`,
    );
  }
}

async function read(file: string, most: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
}

/** The real path of what is named; of a new file, of the folder that it goes to. */
async function placeIn(folder: string, path: string, isNew: boolean): Promise<string> {
  const wanted = join(folder, path);
  const inside = (real: string) => real === folder || real.startsWith(join(folder, sep));
  if (!inside(wanted) || path.includes('\0')) throw elsewhere();
  const there = await realpath(wanted).catch(() => null);
  if (there !== null) {
    if (!inside(there)) throw elsewhere();
    return there;
  }
  if (!isNew) throw new Fault('NOT_FOUND', 'There is no such file.', { hint: 'List the folder above it.' });
  // The part of the way that is there must not lead out before folders are made.
  let above = dirname(wanted);
  while ((await realpath(above).catch(() => null)) === null) above = dirname(above);
  if (!inside(await realpath(above))) throw elsewhere();
  await mkdir(dirname(wanted), { recursive: true });
  const parent = await realpath(dirname(wanted));
  if (!inside(parent)) throw elsewhere();
  return join(parent, basename(wanted));
}

const elsewhere = () =>
  new Fault('FORBIDDEN', 'This path leads out of the folder of its connector.', { isFinal: true });
