// The calendar of backups as a setting: it is read by what settings may not import, and only where there is one.
import { ConfigError } from '../environment.ts';
import { Fault } from '../kernel/fault.ts';

/** @throws ConfigError that names the setting, and says how to write it */
export async function requireBackupSchedule(schedule: string | null): Promise<void> {
  if (schedule === null) return;
  const { requireCron } = await import('../routines/cron.ts');
  try {
    requireCron(schedule);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new ConfigError(`RIVULET_BACKUP_SCHEDULE: ${cause.message}\n${cause.hint}`, { cause });
  }
}
