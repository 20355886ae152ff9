// Where this package lies, from sources and from the built bundle alike.
import { existsSync } from 'node:fs';

/** Folder of package.json, with a trailing slash. */
export const packageRoot: URL = nearest(new URL('./', import.meta.url));

function nearest(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('package.json was not found above this program');
  return nearest(parent);
}
