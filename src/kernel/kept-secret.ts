// The data folder of a server and, where nobody gives it one, its secret, which is made at the first start and kept there.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from './fault.ts';
import { requireUsableFolder } from './usable-folder.ts';

/** Characters that a secret has at least. */
export const shortestSecret = 32;

const fileIn = (folder: string) => join(folder, 'secret');

/** Makes the folder, and a secret in it unless that stands elsewhere. @throws Fault NOT_CONFIGURED */
export function makeDataFolder(folder: string, secretElsewhere: boolean): void {
  attempt(folder, () => {
    requireUsableFolder(folder);
    if (!secretElsewhere && !existsSync(fileIn(folder)))
      writeFileSync(fileIn(folder), randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
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
      hint: 'Set it to a folder that this user may write in.',
      cause,
    });
  }
}
