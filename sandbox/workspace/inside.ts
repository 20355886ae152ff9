// Paths inside a workspace: resolved step by step through directory descriptors, so that no link leads out of it.
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import type { SandboxUser } from '../user.ts';

/** A name in a directory that can't be moved away under us. */
export interface Spot {
  /** Path of the directory through its descriptor; valid inside the callback only. */
  folder: string;
  name: string;
  /** `folder/name`; the last step is not resolved, so use it without following. */
  path: string;
  /** The path is the workspace itself, however it is written. */
  isRoot: boolean;
}

const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const mostLinks = 20;

/**
 * A path as its parts, relative to the workspace. `/workspace/a`, `/a`, `./a` and `a` are the same.
 * Throws Fault VALIDATION_FAILED for a path that leads out, is too long or names the repository's own `.git`.
 */
export function pathParts(path: string): string[] {
  const inside = path.replace(/^\/workspace(?=\/|$)/, '');
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  const isBad = parts.includes('..') || path.includes('\0') || path.length > 4096 || isRepository(parts[0]);
  if (!isBad) return parts;
  throw noPath(path);
}

const noPath = (path: string) =>
  new Fault('VALIDATION_FAILED', `“${path.slice(0, 200)}” is no path inside the workspace.`, {
    hint: 'Give a path relative to the workspace, without “..” and outside “.git”.',
  });

/** For paths about to be written: no part may be a repository's folder, whatever its case. */
export function writableParts(path: string): string[] {
  const parts = pathParts(path);
  if (parts.length > 0 && !parts.some(isRepository)) return parts;
  throw new Fault('VALIDATION_FAILED', `“${path.slice(0, 200)}” can’t be written.`, {
    hint: 'Name a file below the workspace and outside any “.git”.',
  });
}

const isRepository = (part: string | undefined) => part !== undefined && /^(\.git|git~1)$/i.test(part);

/** How a missing directory on the way is made. */
export interface Making {
  user: SandboxUser;
}

/**
 * Calls `work` with the place that a path names. Links on the way are followed as long as they stay inside; with
 * `followsLast` so is the last part. Throws Fault NOT_FOUND when a directory on the way is missing and none is made.
 */
export async function atPath<Result>(
  root: string,
  parts: string[],
  work: (spot: Spot) => Promise<Result>,
  options: { followsLast?: boolean; making?: Making } = {},
): Promise<Result> {
  const steps = [...parts];
  const walked: string[] = [];
  const top = await open(root, openFolder);
  let current = top;
  // A path may have two thousand parts: no more than the top and the folder at hand are open.
  const moveTo = async (next: FileHandle) => {
    if (current !== top) await current.close();
    current = next;
  };
  let links = 0;
  try {
    for (;;) {
      const folder = through(current, join(root, ...walked));
      const step = steps.shift();
      const isRoot = walked.length === 0;
      if (step === undefined) return await work({ folder, name: '.', path: `${folder}/.`, isRoot });
      // The workspace's own files are neither shown nor changed, also when a link leads to them.
      if (isRoot && isRepository(step)) throw noPath(parts.join('/'));
      const path = join(folder, step);
      const target = steps.length > 0 || options.followsLast ? await linkTarget(path) : null;
      if (target !== null) {
        if (++links > mostLinks) throw notFound(parts);
        const next = resolveLink(walked, target, steps);
        if (!next) throw leadsOut(parts);
        // A link may go up: start again from the top with the path it stands for.
        await moveTo(top);
        walked.length = 0;
        steps.splice(0, steps.length, ...next);
        continue;
      }
      if (steps.length === 0) return await work({ folder, name: step, path, isRoot: false });
      await moveTo(await enter(path, parts, options.making));
      walked.push(step);
    }
  } finally {
    await moveTo(top);
    await top.close();
  }
}

/** The directory behind a handle as a path: through /proc where there is one, so that it can't be swapped. */
function through(handle: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
}

async function enter(path: string, parts: string[], making: Making | undefined): Promise<FileHandle> {
  if (making) {
    const isNew = await mkdir(path).then(
      () => true,
      () => false,
    );
    const handle = await open(path, openFolder).catch(() => null);
    if (!handle) throw notFound(parts);
    if (isNew && making.user.isDedicated) await handle.chown(making.user.uid, making.user.gid);
    return handle;
  }
  return open(path, openFolder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EMFILE' ? error : notFound(parts);
  });
}

async function linkTarget(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isSymbolicLink() ? readlink(path).catch(() => null) : null;
}

/** The parts that a link and what follows it stand for; null when they lead out. `walked` holds no links. */
function resolveLink(walked: string[], target: string, rest: string[]): string[] | null {
  const isAbsolute = target.startsWith('/');
  if (isAbsolute && !/^\/workspace(\/|$)/.test(target)) return null;
  const resolved = isAbsolute ? [] : [...walked];
  const steps = isAbsolute ? target.slice('/workspace'.length) : target;
  for (const part of steps.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') resolved.push(part);
    else if (resolved.pop() === undefined) return null;
  }
  if (isRepository(resolved[0])) return null;
  return [...resolved, ...rest];
}

const shown = (parts: string[]) => parts.join('/').slice(0, 200) || '.';

export const notFound = (parts: string[]) =>
  new Fault('NOT_FOUND', `There is no “${shown(parts)}” in the workspace.`, {
    hint: 'List the files to see what is there.',
  });

const leadsOut = (parts: string[]) =>
  new Fault('FORBIDDEN', `“${shown(parts)}” is a link that leads out of the workspace.`, {
    hint: 'Only files inside the workspace can be reached.',
  });
