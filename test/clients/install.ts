// Installs the clients of others into a cache folder, each set of packages once for its versions.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ClientSet {
  kind: 'pip' | 'npm' | 'go';
  /** Names with their pinned versions. */
  packages: Record<string, string>;
}

/** A set that is there, with the versions that were installed; or why it is not. */
export type Installed = { folder: string; versions: Record<string, string> } | { skipped: string };

export const here = dirname(fileURLToPath(import.meta.url));
/** Kept between runs; `RIVULET_CLIENTS_CACHE` lets CI keep it outside its clone. */
export const cache = (process.env.RIVULET_CLIENTS_CACHE ?? join(here, '.cache')).replace(/^~(?=\/)/, homedir());

export const readSets = async (): Promise<Record<string, ClientSet>> =>
  JSON.parse(await readFile(join(here, 'versions.json'), 'utf8'));

/** Installs one set unless it is there; `newest` ignores what is pinned, and installs again. Never rejects. */
export async function install(name: string, set: ClientSet, newest: boolean): Promise<Installed> {
  const source = set.kind === 'go' ? await readFile(join(here, 'programs/go/main.go'), 'utf8') : '';
  const key = createHash('sha256')
    .update(JSON.stringify([set, source, process.version]))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, newest ? `${name}-newest` : `${name}-${key}`);
  const marker = join(folder, 'installed.json');
  if (!newest) {
    const there = await readFile(marker, 'utf8').catch(() => null);
    if (there) return JSON.parse(there) as Installed;
  }
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const versions = await installers[set.kind](folder, set.packages, newest);
    const installed: Installed = { folder, versions };
    await writeFile(marker, JSON.stringify(installed));
    return installed;
  } catch (error) {
    return { skipped: (error as Error).message };
  }
}

type Installer = (folder: string, packages: ClientSet['packages'], newest: boolean) => Promise<Record<string, string>>;

const installers: Record<ClientSet['kind'], Installer> = {
  async pip(folder, packages, newest) {
    await run('python3', ['-m', 'venv', folder]);
    const wanted = Object.entries(packages).map(([name, version]) => (newest ? name : `${name}==${version}`));
    const pip = join(folder, 'bin/pip');
    await run(pip, ['install', '--quiet', '--disable-pip-version-check', '--no-compile', ...wanted]);
    const listed = await run(pip, ['list', '--format=json', '--disable-pip-version-check']);
    const all = new Map(
      (JSON.parse(listed) as { name: string; version: string }[]).map((one) => [one.name, one.version]),
    );
    return Object.fromEntries(Object.keys(packages).map((name) => [name, all.get(name) ?? '?']));
  },
  async npm(folder, packages, newest) {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const wanted = Object.entries(packages).map(([name, version]) => `${name}@${newest ? 'latest' : version}`);
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...wanted]);
    const versionOf = async (name: string) =>
      JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version as string;
    return Object.fromEntries(
      await Promise.all(Object.keys(packages).map(async (name) => [name, await versionOf(name)] as const)),
    );
  },
  async go(folder, packages, newest) {
    await cp(join(here, 'programs/go/main.go'), join(folder, 'main.go'));
    await run('go', ['mod', 'init', 'clients'], folder);
    for (const [name, version] of Object.entries(packages))
      await run('go', ['get', `${name}@${newest ? 'latest' : `v${version}`}`], folder);
    await run('go', ['mod', 'tidy'], folder);
    await run('go', ['build', '-o', 'client', '.'], folder);
    const listed = await run('go', ['list', '-m', '-f', '{{.Path}} {{.Version}}', 'all'], folder);
    const all = new Map(listed.split('\n').map((line) => line.split(' ') as [string, string]));
    return Object.fromEntries(Object.keys(packages).map((name) => [name, (all.get(name) ?? '?').replace(/^v/, '')]));
  },
};

const patienceMs = 280_000;

/** Runs a program to its end and gives what it printed; rejects with the end of what it complained of. */
function run(program: string, args: string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, timeout: patienceMs, stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    let complained = '';
    child.stdout.on('data', (data) => {
      told += data;
    });
    child.stderr.on('data', (data) => {
      complained += data;
    });
    child.on('error', () => reject(new Error(`${program} is not installed here`)));
    child.on('close', (code) => {
      if (code === 0) return resolve(told);
      const last = complained.trim().split('\n').at(-1) ?? '';
      reject(new Error(`${program} ${args[0]} failed: ${last.slice(0, 200)}`));
    });
  });
}
