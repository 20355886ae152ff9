// Names in a data folder: what the server and its commands make there, and what others have in it.
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

const made = new Set(['secret', 'model-prices.json', 'sandbox', 'imports', 'sites', 'outbox', 'training']);

/** What the server and its commands make in the folder, beside what is named after the program. */
export const isMade = (name: string) => made.has(name) || name.startsWith('rivulet.');

/** What file systems and editors leave in any folder. */
export const isNobodys = (name: string) => name === 'lost+found' || name.startsWith('.');

/** How the name of the folder begins in which a restore gathers its files; it is there until all is in place. */
export const unfinishedRestore = 'rivulet.restoring-';
export const isUnfinishedRestore = (name: string) => name.startsWith(unfinishedRestore);

/** What storage devices and other systems leave, and what people put beside the data before there are any. */
const isUsual = (name: string) => /^[@$]|^(backups|desktop\.ini|Thumbs\.db|System Volume Information)$/.test(name);

/** An operator's word that the folder shall be used, whatever else is in it. */
export const consentFile = '.rivulet';

/** What each server has in its folder that keeps its documents or its secret there. */
const isMark = (name: string) => name === 'secret' || name === consentFile || name.startsWith('rivulet.');

/**
 * What stands in a folder that was never a server's: it may be one of the system, by a mistyped name. None where a
 * server has been at work, or its operator said so.
 *
 * @param expected paths that settings name, which may lie in it
 */
export function strangersIn(folder: string, expected: readonly string[]): string[] {
  const names = readdirSync(folder);
  if (names.some(isMark)) return [];
  const isExpected = (name: string) => expected.some((path) => `${path}${sep}`.startsWith(join(folder, name) + sep));
  return names.filter((name) => ![isMade, isNobodys, isUsual, isExpected].some((is) => is(name))).sort();
}
