// What the operator does on the data folder that the settings name: backups, list prices, and a sign-in link. What only
// one of these needs is loaded by it: loading takes most of the time of a command.
import { loadDataSettings } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { localUrl } from '../kernel/local-url.ts';
import { goThroughProxies } from '../kernel/outbound-proxy.ts';
import type { BackupManifest } from '../stores/backup/manifest.ts';
import { version } from '../version.ts';
import type { Told } from './output.ts';

/** @throws Fault, ConfigError */
export async function backup(folder: string): Promise<Told> {
  const { dataDir, mongoUri, secretElsewhere } = loadDataSettings();
  const { backUp } = await import('../stores/backup/back-up.ts');
  const manifest = await backUp({
    dataFolder: dataDir,
    target: folder,
    withoutDatabase: mongoUri !== null,
    secretElsewhere,
    version,
    now: Date.now(),
  });
  const result = { from: dataDir, to: folder, ...about(manifest) };
  const line = `Backed up ${dataDir} into ${folder}: ${sizeOf(result)}.`;
  return { result, lines: [line, ...notes(manifest, secretElsewhere)] };
}

/** @throws Fault, ConfigError */
export async function restoreBackup(folder: string): Promise<Told> {
  const { dataDir, secretElsewhere } = loadDataSettings();
  const { restore } = await import('../stores/backup/restore.ts');
  const manifest = await restore({ backup: folder, dataFolder: dataDir });
  const result = { from: folder, to: dataDir, ...about(manifest) };
  const line = `Restored the backup of ${manifest.createdAtUtc} into ${dataDir}: ${sizeOf(result)}. Start the server now.`;
  return { result, lines: [line, ...notes(manifest, secretElsewhere)] };
}

/** A link that signs the administrator in once. @throws ConfigError where the folder holds no data of a server */
export async function signInLink(): Promise<Told> {
  const { createSignInLinks, linkMinutes } = await import('../auth/sign-in-links.ts');
  const { secret, host, port, publicUrl, dataDir } = loadDataSettings();
  const token = createSignInLinks({ secret: secret(), clock: systemClock }).make();
  const url = `${publicUrl ?? localUrl(host, port)}/#/signin?token=${token}`;
  return {
    result: { url, minutes: linkMinutes, dataDir },
    lines: [
      '',
      `  Sign in once, within ${linkMinutes} minutes, while the server of ${dataDir} is running:`,
      '',
      `  ${url}`,
      '',
    ],
  };
}

/** Refreshes the list prices of models in a data folder. @throws Fault */
export async function refreshedPrices(dataFolder: string, source?: string): Promise<Told> {
  goThroughProxies(loadDataSettings().proxies);
  const { refreshPriceFile } = await import('../models/pricing/refresh-price-file.ts');
  const { path, added, changed, kept } = await refreshPriceFile(dataFolder, source);
  return {
    result: { path, added, changed, kept },
    lines: [
      `Wrote ${path}. Servers use it from their next start.`,
      `Beside the list of this version: ${added.length} models more, ${changed.length} with another price.`,
      ...changed.map((name) => `  another price: ${name}`),
      ...kept.map((name) => `  not in the source, price kept: ${name}`),
    ],
  };
}

function about({ createdAtUtc, store, entries, skipped }: BackupManifest) {
  const files = entries.filter((entry) => entry.kind === 'file');
  const bytes = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  return { createdAtUtc, store, files: files.length, bytes, skipped };
}

const sizeOf = ({ files, bytes }: { files: number; bytes: number }) => `${files} files, ${(bytes / 1e6).toFixed(1)} MB`;

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
