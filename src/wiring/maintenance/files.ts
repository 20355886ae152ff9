// Files on request: those of runs that ended long ago are cleared away, and a backup is taken while the server works.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../../config.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { endedFirst } from '../../kernel/ended-first.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import { sweepFiles } from '../../run-places/file-retention.ts';
import type { BackupManifest } from '../../stores/backup/manifest.ts';

type Sweeping = Parameters<typeof sweepFiles>[0];

interface Deps extends Omit<Sweeping, 'keptMs'> {
  config: Config;
  clock: Clock;
  log: Logger;
}

const dayMs = 86_400_000;
/** Milliseconds between two looks at how far a backup is. */
const lookMs = 300;
const manifestName = 'backup.json';

export function fileTasks(deps: Deps): Record<'CleanWorkspaces' | 'Backup', Task> {
  return {
    CleanWorkspaces: {
      scope: 'server',
      takes: ['olderThanDays'],
      work: async ({ olderThanDays, step }) => {
        const keptMs = olderThanDays === null ? deps.config.filesKeptMs : olderThanDays * dayMs;
        const swept = await sweepFiles({ ...deps, keptMs });
        await step(swept.length);
        await deps.workspaces.collect();
        return { processed: swept.length, result: { runs: swept.length, ids: swept.slice(0, 100) } };
      },
    },
    Backup: { scope: 'server', takes: [], work: (context) => backUp(deps, context) },
  };
}

/** Copies in a process of its own, so that requests do not wait for it. A backup that a crash cut short goes first. */
async function backUp({ config, clock }: Deps, { step, signal }: TaskContext): Promise<Outcome> {
  const { folder, kept } = config.backups;
  await rmUnfinished(folder);
  const target = join(folder, new Date(clock.now()).toISOString().replaceAll(':', '-'));
  const total = await bytesOf(join(config.dataDir, 'rivulet.db'));
  const copying = copy(config, target, signal);
  let done = false;
  const finished = copying.finally(() => {
    done = true;
  });
  finished.catch(() => undefined);
  try {
    while (!done) {
      await step(await bytesOf(join(target, 'data', 'rivulet.db')), total || null);
      await Promise.race([finished.catch(() => undefined), clock.sleep(lookMs, signal).catch(() => undefined)]);
    }
    await finished;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
  const manifest = JSON.parse(await readFile(join(target, manifestName), 'utf8')) as BackupManifest;
  const files = manifest.entries.filter(({ kind }) => kind === 'file');
  const bytes = files.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const removed = await rmOldest(folder, kept);
  const restore = `RIVULET_DATA=<empty folder> npm run restore -- ${target}`;
  const { skipped, store } = manifest;
  return { processed: bytes, result: { folder: target, files: files.length, bytes, store, skipped, restore, removed } };
}

/** The command that operators have, in a process of its own. @throws Fault with what it said */
async function copy(config: Config, target: string, signal: AbortSignal): Promise<void> {
  const here = fileURLToPath(import.meta.url);
  // In a checkout this is a source file; what is built is one program, with its command line beside it.
  const isSource = extname(here) === '.ts';
  const command = isSource ? join(here, '../../../cli/rivulet.ts') : join(here, '../cli/rivulet.js');
  const flags = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, ...config.given, RIVULET_DATA: config.dataDir };
  try {
    const copying = promisify(execFile)(process.execPath, [...flags, command, 'backup', target], { env, signal });
    await Promise.all([copying, copying.child.pid && endedFirst(copying.child.pid)]);
  } catch (cause) {
    if ((cause as { signal?: string }).signal === 'SIGKILL') throw killed(cause);
    const { stderr = '' } = cause as { stderr?: string };
    const [message = 'The backup could not be taken.', ...hint] = stderr.trim().split('\n');
    throw new Fault('STORE_UNAVAILABLE', message || String(cause), { hint: hint.join(' '), cause });
  }
}

const killed = (cause: unknown) =>
  new Fault('STORE_UNAVAILABLE', 'The process that copies was killed, as the kernel does where memory is short.', {
    hint: 'Give the server more memory, or take the backup with the command "rivulet backup" from elsewhere.',
    cause,
  });

const bytesOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** Names of the backups that this server has made, the oldest first. */
async function backupsIn(folder: string): Promise<{ name: string; isWhole: boolean }[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d{4}-\d\d-\d\dT[\d-]+\.\d+Z$/.test(name));
  const looked = names
    .sort()
    .map(async (name) => ({ name, isWhole: (await bytesOf(join(folder, name, manifestName))) > 0 }));
  return Promise.all(looked);
}

async function rmUnfinished(folder: string): Promise<void> {
  for (const { name, isWhole } of await backupsIn(folder))
    if (!isWhole) await rm(join(folder, name), { recursive: true, force: true });
}

async function rmOldest(folder: string, kept: number): Promise<number> {
  const whole = (await backupsIn(folder)).filter(({ isWhole }) => isWhole);
  const old = whole.slice(0, Math.max(0, whole.length - kept));
  for (const { name } of old) await rm(join(folder, name), { recursive: true, force: true });
  return old.length;
}
