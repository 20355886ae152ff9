// What the operator does on the data folder that the settings name: backups, and a sign-in link.
import { createSignInLinks, linkMinutes } from '../auth/sign-in-links.ts';
import { loadConfig, loadDataSettings } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { localUrl } from '../kernel/local-url.ts';
import { backUp } from '../stores/backup/back-up.ts';
import type { BackupManifest } from '../stores/backup/manifest.ts';
import { restore } from '../stores/backup/restore.ts';
import { version } from '../version.ts';

/** Lines that say what was backed up. @throws Fault, ConfigError */
export async function backup(folder: string): Promise<string[]> {
  const { dataDir, mongoUri, secretElsewhere } = loadDataSettings();
  const manifest = await backUp({
    dataFolder: dataDir,
    target: folder,
    withoutDatabase: mongoUri !== null,
    secretElsewhere,
    version,
    now: Date.now(),
  });
  return [`Backed up ${dataDir} into ${folder}: ${sizeOf(manifest)}.`, ...notes(manifest, secretElsewhere)];
}

/** Lines that say what was restored. @throws Fault, ConfigError */
export async function restoreBackup(folder: string): Promise<string[]> {
  const { dataDir, secretElsewhere } = loadDataSettings();
  const manifest = await restore({ backup: folder, dataFolder: dataDir });
  return [
    `Restored the backup of ${manifest.createdAtUtc} into ${dataDir}: ${sizeOf(manifest)}. Start the server now.`,
    ...notes(manifest, secretElsewhere),
  ];
}

/** Lines with a link that signs the administrator in once. */
export function signInLink(): string[] {
  const { secret, host, port, dataDir } = loadConfig();
  const token = createSignInLinks({ secret, clock: systemClock }).make();
  return [
    '',
    `  Sign in once, within ${linkMinutes} minutes, while the server of ${dataDir} is running:`,
    '',
    `  ${localUrl(host, port)}/#/signin?token=${token}`,
    '',
  ];
}

function sizeOf({ entries }: BackupManifest): string {
  const files = entries.filter((entry) => entry.kind === 'file');
  const bytes = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  return `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`;
}

function notes({ store, entries, skipped }: BackupManifest, secretElsewhere: boolean): string[] {
  return [
    ...(store === 'mongodb' ? ['The documents are in MongoDB: back them up and restore them with its tools.'] : []),
    ...(secretElsewhere || !entries.some((entry) => entry.path === 'secret')
      ? ['RIVULET_SECRET is no part of it: keep it yourself, since nothing can be read without it.']
      : []),
    ...skipped.slice(0, 20).map((one) => `Left out: ${one}`),
    ...(skipped.length > 20 ? [`… and ${skipped.length - 20} more.`] : []),
  ];
}
