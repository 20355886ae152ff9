// How each kind of client is installed into a folder: from PyPI, npm, the Go proxy, Maven's repository or Debian.
import { spawn } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const programs = join(dirname(fileURLToPath(import.meta.url)), 'programs');

export interface ClientSet {
  kind: 'pip' | 'pip2' | 'npm' | 'go' | 'maven' | 'deb';
  /** Names with their pinned versions; `*` for what the system's Debian has. */
  packages: Record<string, string>;
  /** What the newest version of a package keeps to, where an older line of it is what the set is for. */
  newest?: Record<string, string>;
  /** Packages of pip that come without what they ask for: what they ask for is too large, and is not used here. */
  alone?: string[];
  /** Folder in `programs` that is built with them. */
  source?: string;
}

/** Installs into an empty folder, and tells the versions that it got; rejects with a reason in one line. */
type Installer = (folder: string, set: ClientSet, newest: boolean) => Promise<Record<string, string>>;

export const installers: Record<ClientSet['kind'], Installer> = {
  async pip(folder, set, newest) {
    await run('python3', ['-m', 'venv', folder]);
    const pip = join(folder, 'bin/pip');
    const install = (...more: string[]) =>
      run(pip, ['install', '--quiet', '--disable-pip-version-check', '--no-compile', ...more]);
    const { alone = [] } = set;
    const isAlone = (name: string) => alone.includes(name.split('==')[0] ?? '');
    await install(...wanted(set, newest).filter((name) => !isAlone(name)));
    if (alone.length > 0) await install('--no-deps', ...wanted(set, newest).filter(isAlone));
    return listed([pip], set.packages);
  },
  /** Of Python 2 there is no `venv`: a plain folder of packages. */
  async pip2(folder, set, newest) {
    const python = await python2();
    const lib = join(folder, 'lib');
    await run(python, ['-m', 'pip', 'install', '--quiet', '--target', lib, ...wanted(set, newest)]);
    await writeFile(join(folder, 'python'), python);
    return listed([python, '-m', 'pip'], set.packages, ['--path', lib]);
  },
  async npm(folder, { packages, newest: lines = {} }, newest) {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const names = Object.entries(packages).map(
      ([name, version]) => `${name}@${newest ? (lines[name] ?? 'latest') : version}`,
    );
    await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...names]);
    const versionOf = async (name: string) =>
      JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version as string;
    return Object.fromEntries(
      await Promise.all(Object.keys(packages).map(async (name) => [name, await versionOf(name)] as const)),
    );
  },
  async go(folder, { packages, source = '' }, newest) {
    await cp(join(programs, source), folder, { recursive: true });
    await run('go', ['mod', 'init', 'clients'], folder);
    for (const [name, version] of Object.entries(packages))
      await run('go', ['get', `${name}@${newest ? 'latest' : `v${version}`}`], folder);
    await run('go', ['mod', 'tidy'], folder);
    await run('go', ['build', '-o', 'client', '.'], folder);
    const told = await run('go', ['list', '-m', '-f', '{{.Path}} {{.Version}}', 'all'], folder);
    const all = new Map(told.split('\n').map((line) => line.split(' ') as [string, string]));
    return Object.fromEntries(Object.keys(packages).map((name) => [name, (all.get(name) ?? '?').replace(/^v/, '')]));
  },
  async maven(folder, { packages, source = '' }, newest) {
    const dependencies = Object.entries(packages).map(([name, version]) => {
      const [group, artifact] = name.split(':');
      const which = newest ? 'RELEASE' : version;
      return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${which}</version></dependency>`;
    });
    const head =
      '<modelVersion>4.0.0</modelVersion><groupId>here</groupId><artifactId>clients</artifactId><version>1</version>';
    const xml = `<project>${head}<dependencies>${dependencies.join('')}</dependencies></project>`;
    await writeFile(join(folder, 'pom.xml'), xml);
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    await run('mvn', ['-q', '-B', goal, '-DoutputDirectory=lib'], folder);
    await cp(join(programs, source), folder, { recursive: true });
    await run('javac', ['-cp', 'lib/*', '-d', 'classes', 'Client.java'], folder);
    const jars = await readdir(join(folder, 'lib'));
    const versionOf = (artifact = '') =>
      jars.flatMap((jar) => (jar.match(`^${artifact}-(\\d.*)\\.jar$`) ?? []).slice(1))[0] ?? '?';
    return Object.fromEntries(Object.keys(packages).map((name) => [name, versionOf(name.split(':')[1])]));
  },
  /** Unpacked, not installed: nobody has to be root, and nothing of the system changes. */
  async deb(folder, { packages }) {
    const names = Object.keys(packages);
    const download = () => run('apt-get', ['download', '-qq', ...names], folder);
    await download().catch(async () => {
      await run('apt-get', ['update', '-qq']);
      await download();
    });
    const files = (await readdir(folder)).filter((file) => file.endsWith('.deb'));
    for (const file of files) {
      await run('dpkg-deb', ['-x', file, 'root'], folder);
      await rm(join(folder, file));
    }
    const versionOf = (name: string) => files.find((file) => file.startsWith(`${name}_`))?.match(/_(\d[\w.]*)/)?.[1];
    return Object.fromEntries(names.map((name) => [name, versionOf(name) ?? '?']));
  },
};

/** Packages as pip is asked for them. */
const wanted = ({ packages, newest: lines = {} }: ClientSet, newest: boolean) =>
  Object.entries(packages).map(([name, pinned]) => {
    const version = newest ? lines[name] : pinned;
    return version ? `${name}==${version}` : name;
  });

async function listed([program = '', ...args]: string[], packages: ClientSet['packages'], more: string[] = []) {
  const told = await run(program, [...args, 'list', '--format=json', '--disable-pip-version-check', ...more]);
  const all = JSON.parse(told) as { name: string; version: string }[];
  const versions = new Map(all.map((one) => [one.name.toLowerCase(), one.version]));
  return Object.fromEntries(Object.keys(packages).map((name) => [name, versions.get(name.toLowerCase()) ?? '?']));
}

/** Systems have no Python 2 any more, but pyenv has. */
async function python2(): Promise<string> {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const kept = (await readdir(pyenv).catch(() => [])).filter((name) => name.startsWith('2.7'));
  for (const python of [...kept.map((name) => join(pyenv, name, 'bin/python')), 'python2.7', 'python2'])
    if (await run(python, ['-m', 'pip', '--version']).catch(() => null)) return python;
  throw new Error('Python 2.7 with pip is not installed here');
}

/** Generous: a cold cache, on a machine that has other things to do. */
const patienceMs = 420_000;

/** Runs a program to its end and gives what it printed; rejects with the end of what it complained of. */
export function run(program: string, args: string[], cwd?: string): Promise<string> {
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
      reject(new Error(`${program} ${args[0]} failed: ${reasonIn(complained)}`));
    });
  });
}

/** The lines that say why, of those that also say where more is written. */
function reasonIn(complained: string): string {
  const lines = complained.split('\n').map((line) => line.replace(/^(npm (error|warn)|ERROR:)\s*/, '').trim());
  const telling = lines.filter((line) => /resolv|conflict|peer|depends on|not found|no matching|error:/i.test(line));
  return (telling.length > 0 ? telling.slice(0, 6) : lines.filter(Boolean).slice(-1)).join('; ').slice(0, 500);
}
