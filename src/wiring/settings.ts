// The effective configuration: each setting with where it comes from, and overrides that operators make at run time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, configWith } from '../config.ts';
import type { ConfigSource } from '../contract/enums.ts';
import { ConfigError, defaultOf, type Given, type SettingKey, settingKeys } from '../environment.ts';
import type { SystemConfigDto, SystemConfigEntryDto } from '../groups/system/dto.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ServerState } from '../ports/server-state.ts';
import { requireCron } from '../routines/cron.ts';
import { knownSettings } from './known-settings.ts';

interface Deps {
  config: Config;
  state: ServerState;
  clock: Clock;
  log: Logger;
}

const masked = '********';

/**
 * Settings over the configuration of the start. `config` is the one that parts read: those of its fields that can change
 * while the server works are written when an override is; the others have been read already.
 */
export function openSettings({ config: started, state, clock, log }: Deps) {
  const overrides = (): Given => known(state.get('overrides')?.values ?? {});
  const first = readable(started, overrides(), log);
  const config: Config = { ...configWith(started, first), given: started.given };
  /** What settings that need a restart were at the start. */
  const atStart = { ...first };

  const effective = (key: SettingKey, over: Given = overrides()) => over[key] ?? started.given[key] ?? defaultOf(key);
  const apply = () => {
    const { requestsPerKey, kept, filesKeptMs, publicUrl, backups, logLevel } = configWith(
      started,
      readable(started, overrides(), log),
    );
    Object.assign(config, { requestsPerKey, kept, filesKeptMs, publicUrl, backups, logLevel });
    // A logger that was made silent, as by tests, stays so.
    if (log.level !== 'silent' && log.level !== logLevel) log.level = logLevel;
  };
  apply();
  state.onChange(apply);

  const entry = (key: SettingKey): SystemConfigEntryDto => {
    const { about, secret = false, changes } = knownSettings[key];
    const value = effective(key) ?? foundElsewhere(started, key);
    return {
      key,
      value: value !== null && secret ? masked : value,
      defaultValue: secret ? null : defaultOf(key),
      source: sourceOf(started, key, overrides()),
      isSecret: secret,
      isEditable: changes !== 'never',
      requiresRestart: changes !== 'now',
      description: about,
    };
  };

  return {
    /** What parts of the server read, also while it changes. */
    config,
    show(prefix = ''): SystemConfigDto {
      const kept = state.get('overrides');
      const waits = (key: SettingKey) =>
        knownSettings[key].changes === 'restart' && effective(key) !== effective(key, atStart);
      return {
        entries: settingKeys.filter((key) => key.startsWith(prefix)).map(entry),
        restartPending: settingKeys.some(waits),
        updatedAtUtc: kept?.updatedAtUtc ?? null,
        updatedByName: kept?.updatedByName ?? null,
      };
    },
    /** Sets and removes overrides, all or none. @throws Fault VALIDATION_FAILED */
    async change(values: Readonly<Record<string, string | null>>, byName: string): Promise<void> {
      for (const key of Object.keys(values)) requireEditable(key);
      const merged = (old: Record<string, string>) => {
        const all = Object.entries({ ...old, ...values }).filter(([, value]) => value !== null);
        return Object.fromEntries(all) as Record<string, string>;
      };
      requireRight(started, known(merged(overrides() as Record<string, string>)));
      await state.change('overrides', (old) => ({
        values: merged(old?.values ?? {}),
        updatedAtUtc: new Date(clock.now()).toISOString(),
        updatedByName: byName,
      }));
    },
  };
}
export type Settings = ReturnType<typeof openSettings>;

const isKey = (key: string): key is SettingKey => (settingKeys as string[]).includes(key);

/** Overrides of settings that this version has and lets be changed. */
const known = (values: Record<string, string>): Given =>
  Object.fromEntries(
    Object.entries(values).filter(([key]) => isKey(key) && knownSettings[key].changes !== 'never'),
  ) as Given;

/** Overrides of another version that cannot be read here are left out: the server starts all the same. */
function readable(started: Config, values: Given, log: Pick<Logger, 'warn'>): Given {
  try {
    configWith(started, values);
    return values;
  } catch (error) {
    log.warn({ err: error }, 'overrides of settings are not right, and are left out');
    return {};
  }
}

function requireEditable(key: string): void {
  if (!isKey(key))
    throw new Fault('VALIDATION_FAILED', `There is no setting "${key.slice(0, 60)}".`, {
      hint: 'GET /api/system/config lists them.',
    });
  if (knownSettings[key].changes === 'never')
    throw new Fault('VALIDATION_FAILED', `${key} cannot be overridden while the server works.`, {
      hint: 'Set it in the environment of the server, and start it again. Entries with isEditable can be overridden.',
    });
}

function requireRight(started: Config, values: Given): void {
  try {
    const { backups } = configWith(started, values);
    if (backups.schedule !== null) requireCron(backups.schedule);
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    throw new Fault('VALIDATION_FAILED', cause.message.replaceAll(/\s+/g, ' '), {
      hint: 'Nothing was changed. GET /api/system/config shows each setting with its default.',
      cause,
    });
  }
}

/** What the server made or found in a file where nobody gave it. */
const foundElsewhere = ({ dataDir }: Config, key: SettingKey): string | null =>
  key === 'RIVULET_SECRET' && existsSync(join(dataDir, 'secret')) ? masked : null;

function sourceOf(started: Config, key: SettingKey, overrides: Given): ConfigSource {
  if (overrides[key] !== undefined) return 'Override';
  if (started.given[key] !== undefined) return 'Environment';
  return foundElsewhere(started, key) === null ? 'Default' : 'File';
}
