// Manifest of a backup: written last, so that a backup without one is known to be unfinished.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../kernel/fault.ts';

const Entry = z.object({
  /** Relative to the data folder, with `/`. */
  path: z.string().min(1),
  kind: z.enum(['file', 'folder', 'link']),
  mode: z.number().int(),
  uid: z.number().int(),
  gid: z.number().int(),
  bytes: z.number().int().optional(),
  sha256: z.string().optional(),
  /** Milliseconds since 1970 UTC. */
  modifiedAt: z.number().optional(),
  target: z.string().optional(),
});

const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAtUtc: z.string(),
  /** Path of the data folder, which git's pointers name. */
  dataFolder: z.string(),
  /** `embedded`, or `mongodb` when the documents are kept elsewhere and are no part of the backup. */
  store: z.enum(['embedded', 'mongodb']),
  entries: z.array(Entry),
  /** Files that could not be copied, with the reason. */
  skipped: z.array(z.string()),
});

export type BackupEntry = z.infer<typeof Entry>;
export type BackupManifest = z.infer<typeof Manifest>;

export const manifestFile = 'backup.json';
/** Folder of a backup that holds the files of the data folder. */
export const contentFolder = 'data';
export const databaseFile = 'rivulet.db';

export const writeManifest = (folder: string, manifest: BackupManifest) =>
  writeFile(join(folder, manifestFile), JSON.stringify(manifest), { mode: 0o600, flag: 'wx', flush: true });

/** @throws Fault NOT_FOUND when the folder holds no backup, CONFLICT when it is unfinished or damaged */
export function readManifest(folder: string): BackupManifest {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestFile), 'utf8');
  } catch (cause) {
    throw new Fault('NOT_FOUND', `There is no complete backup in ${folder}.`, {
      hint: `A backup is a folder with ${manifestFile}, which is written last: name that folder, or take another backup.`,
      cause,
    });
  }
  try {
    return Manifest.parse(JSON.parse(text));
  } catch (cause) {
    throw damaged(`${manifestFile} can't be read`, cause);
  }
}

export const damaged = (what: string, cause?: unknown) =>
  new Fault('CONFLICT', `The backup is damaged: ${what}.`, {
    hint: 'Restore another backup; this one was changed after it was taken, or its disk failed.',
    cause,
  });
