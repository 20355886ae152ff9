// Texts of the project itself, for checks that read them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Files below these folders of the project by their paths in it, those of the kind that the pattern names; no tests. */
export const filesIn = (folders: readonly string[], kind: RegExp): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => kind.test(path) && !path.includes('.test.') && !path.includes('.cache'));
