// The data folder of a server and, where nobody gives it one, its secret, which is made at the first start and kept there.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { consentFile, isUnfinishedRestore, strangersIn } from './data-names.ts';
import { Fault } from './fault.ts';
import { makeLastingFile } from './lasting-file.ts';
import { requireUsableFolder } from './usable-folder.ts';

/** Characters that a secret has at least. */
export const shortestSecret = 32;

const fileIn = (folder: string) => join(folder, 'secret');

interface Uses {
  secretElsewhere: boolean;
  /** With the secret elsewhere too, nothing in the folder says whether a server has used it. */
  documentsElsewhere: boolean;
  /** Paths that settings name, which may lie in the folder. */
  expected: readonly string[];
}

/**
 * Makes the folder, and a secret in it unless that stands elsewhere.
 *
 * @throws Fault NOT_CONFIGURED where it cannot be used, or is somebody else's
 */
export function makeDataFolder(folder: string, uses: Uses): void {
  attempt(folder, () => requireUsableFolder(folder));
  requireOwnFolder(folder, uses);
  attempt(folder, () => {
    if (!uses.secretElsewhere && !existsSync(fileIn(folder)))
      makeLastingFile(fileIn(folder), randomBytes(32).toString('base64url'));
  });
}

/**
 * @throws Fault NOT_CONFIGURED for a folder with other things in it, where no server has been at work, and for one that a
 *   backup is not restored into as a whole
 */
export function requireOwnFolder(folder: string, { secretElsewhere, documentsElsewhere, expected }: Uses): void {
  requireRestored(folder);
  if (secretElsewhere && documentsElsewhere) return;
  const strangers = attempt(folder, () => strangersIn(folder, expected));
  if (strangers.length === 0) return;
  const [named, more] = [strangers.slice(0, 5).join(', '), strangers.length > 5 ? ' …' : ''];
  throw new Fault('NOT_CONFIGURED', `${folder} has other things in it: ${named}${more}.`, {
    hint: `Name an empty folder, or one that is not there yet. To use this one all the same, make an empty file ${consentFile} in it.`,
  });
}

function requireRestored(folder: string): void {
  if (!attempt(folder, () => readdirSync(folder)).some(isUnfinishedRestore)) return;
  throw new Fault('NOT_CONFIGURED', `a restore into ${folder} broke off, or is still at work.`, {
    hint: 'Wait until it is done. Where it broke off, empty the folder and restore again.',
  });
}

/** The secret that a server has kept; nothing is made. @throws Fault NOT_CONFIGURED */
export function readSecret(folder: string): string {
  const file = fileIn(folder);
  if (!existsSync(file))
    throw new Fault('NOT_CONFIGURED', `there is no data of Rivulet in ${folder}.`, {
      hint: 'Name the folder that the server has (its first start makes it), or set RIVULET_SECRET as for the server.',
    });
  const kept = attempt(folder, () => readFileSync(file, 'utf8').trim());
  if (kept.length >= shortestSecret) return kept;
  throw new Fault('NOT_CONFIGURED', `${file} holds no secret of ${shortestSecret} characters or more.`, {
    hint: 'Put back the one of a backup; where the folder holds no data yet, delete the file, and another is made.',
  });
}

function attempt<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Fault('NOT_CONFIGURED', `cannot use ${folder}: ${(cause as Error).message}.`, {
      hint: 'Set it to a folder that this user may write in, on a disk with room.',
      cause,
    });
  }
}
