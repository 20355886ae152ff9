// Commands of the operator on the data folder that the settings name: `backup`, `restore`, `prices`.

import { ConfigError, loadDataSettings } from './config.ts';
import { Fault } from './kernel/fault.ts';
import { refreshPriceFile } from './models/pricing/refresh-price-file.ts';
import { backUp } from './stores/backup/back-up.ts';
import type { BackupManifest } from './stores/backup/manifest.ts';
import { restore } from './stores/backup/restore.ts';
import { version } from './version.ts';

const usage = `Usage:
  npm run backup -- FOLDER    writes a backup of RIVULET_DATA into a new or empty folder; the server may go on working
  npm run restore -- FOLDER   restores a backup into RIVULET_DATA, which must be empty; no server may work on it
  npm run prices [-- SOURCE]  refreshes the list prices of models in RIVULET_DATA from LiteLLM's list, or from an
                              address or file in its format`;

/** Commands and what they print. A command without an argument that it needs answers null. */
const commands: Record<string, (argument: string | undefined) => Promise<string[] | null>> = {
  async backup(folder) {
    if (!folder) return null;
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
  },
  async restore(folder) {
    if (!folder) return null;
    const { dataDir, secretElsewhere } = loadDataSettings();
    const manifest = await restore({ backup: folder, dataFolder: dataDir });
    return [
      `Restored the backup of ${manifest.createdAtUtc} into ${dataDir}: ${sizeOf(manifest)}. Start the server now.`,
      ...notes(manifest, secretElsewhere),
    ];
  },
  prices: (source) => refreshPriceFile(loadDataSettings().dataDir, source),
};

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

async function main([name = '', argument, ...rest]: string[]): Promise<number> {
  const command = rest.length === 0 ? commands[name] : undefined;
  try {
    const lines = (await command?.(argument)) ?? null;
    if (lines) for (const line of lines) console.log(line);
    else console.error(usage);
    return lines ? 0 : 2;
  } catch (error) {
    if (error instanceof ConfigError) console.error(error.message);
    else if (error instanceof Fault) console.error(`${error.message}${error.hint ? `\n${error.hint}` : ''}`);
    else console.error(error);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
