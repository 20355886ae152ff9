// Operator's file of sandbox settings: ceilings for all runs, and shares for roles and tool profiles.
import { z } from 'zod';
import { limitFloors, type SandboxLimits } from '../../sandbox/limits.ts';
import type { RunPlace } from '../../sandbox/runs/run-sandboxes.ts';
import { defaultFetchQuota } from '../../sandbox/workspace/fetch.ts';
import { ConfigError } from '../environment.ts';
import { readYamlFile } from '../kernel/yaml-file.ts';

const mebibyte = 1024 * 1024;
const second = 1000;
/** Units in the file, with their factor to the server's units. */
const units = {
  memoryMb: ['memoryBytes', mebibyte],
  pids: ['pids', 1],
  cpus: ['cpus', 1],
  commandSeconds: ['commandTimeoutMs', second],
  outputMb: ['outputBytes', mebibyte],
  workspaceMb: ['workspaceBytes', mebibyte],
  workspaceFiles: ['workspaceFiles', 1],
  fileMb: ['fileBytes', mebibyte],
  openFiles: ['openFiles', 1],
  idleSeconds: ['idleStopMs', second],
} as const satisfies Record<string, [keyof SandboxLimits, number]>;
type Named = keyof typeof units;

const limit = (name: Named) => {
  const [key, unit] = units[name];
  return z.number().min(limitFloors[key] / unit);
};
const limits = Object.fromEntries((Object.keys(units) as Named[]).map((name) => [name, limit(name).optional()]));
const host = z.string().regex(/^(\*\.)?[a-z0-9][a-z0-9.-]*(:\d{1,5})?$/i, 'must look like host, *.host or host:port');
const Share = z.strictObject({ ...limits, hosts: z.array(host).max(200).optional() });

const Settings = z.strictObject({
  ceilings: z.strictObject(limits).default({}),
  roles: z.record(z.string(), Share).default({}),
  profiles: z.record(z.string(), Share).default({}),
  /** True when listed hosts may have addresses inside the operator's network. */
  privateHosts: z.boolean().default(false),
  /** What one fetch of a repository may take. */
  repositories: z
    .strictObject({ fetchMb: z.number().min(0.001).optional(), fetchSeconds: z.number().min(1).max(3000).optional() })
    .default({}),
  docker: z.strictObject({ socket: z.string().min(1).optional(), image: z.string().min(1).optional() }).default({}),
});

/** Limit in ms of a command's duration where the operator sets none; a call may ask for up to this. */
const longestCommandMs = 600_000;

export type SandboxSettings = ReturnType<typeof readSandboxSettings>;

/** Reads the settings. @throws ConfigError that names all errors of the file */
export function readSandboxSettings(file: string | null) {
  const { ceilings, roles, profiles, privateHosts, repositories, docker } =
    file === null ? Settings.parse({}) : load(file);
  const most = { commandTimeoutMs: longestCommandMs, ...toLimits(ceilings) };
  const shares = { roles: byName(roles), profiles: byName(profiles) };
  const shareOf = ({ role, toolProfileName }: RunPlace) => ({
    ...shares.roles.get((role ?? '').toLowerCase()),
    ...shares.profiles.get((toolProfileName ?? '').toLowerCase()),
  });
  return {
    ceilings: most,
    docker,
    privateHosts,
    fetches: {
      bytes: repositories.fetchMb === undefined ? defaultFetchQuota.bytes : repositories.fetchMb * mebibyte,
      seconds: repositories.fetchSeconds ?? defaultFetchQuota.seconds,
    },
    limitsOf: (run: RunPlace): Partial<SandboxLimits> => {
      const { hosts: _, ...share } = shareOf(run);
      return { commandTimeoutMs: most.commandTimeoutMs, ...toLimits(share) };
    },
    /** What a role is granted, without what all runs get. */
    sharesOf: (role: string): Partial<SandboxLimits> => {
      const { hosts: _, ...share } = shareOf({ role, toolProfileName: null } as RunPlace);
      return toLimits(share);
    },
    /** Hosts that the run's commands may reach; none means no network. */
    hostsOf: (run: RunPlace): readonly string[] => shareOf(run).hosts ?? [],
  };
}

function load(file: string): z.output<typeof Settings> {
  try {
    return readYamlFile(file, Settings);
  } catch (error) {
    throw new ConfigError(`RIVULET_SANDBOX_SETTINGS: ${file}: ${(error as Error).message}`);
  }
}

const byName = (shares: Record<string, z.output<typeof Share>>) =>
  new Map(Object.entries(shares).map(([name, share]) => [name.toLowerCase(), share]));

function toLimits(named: Partial<Record<Named, number | undefined>>): Partial<SandboxLimits> {
  const given = Object.entries(named).filter((entry): entry is [Named, number] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [units[name][0], value * units[name][1]]));
}
