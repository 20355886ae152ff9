// `rivulet doctor`: looks at the machine, the settings, the data folder and the server, and says what to do.
import { execFile } from 'node:child_process';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../client/index.ts';
import { type CliSettings, loadDataSettings } from '../config.ts';
import { ConfigError } from '../environment.ts';
import { systemClock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import { roomOf } from '../kernel/free-space.ts';
import { requireOwnFolder } from '../kernel/kept-secret.ts';
import { requireWritable } from '../kernel/usable-folder.ts';
import { requireBackupSchedule } from '../wiring/backup-schedule.ts';
import { addressOf, connect, type Keyring, nameOf, type ServerOptions } from './connection.ts';
import { exitCodes, explain } from './failures.ts';
import type { Printer } from './output.ts';

type Verdict = 'ok' | 'note' | 'wrong';
interface Finding {
  check: string;
  verdict: Verdict;
  message: string;
}

interface Deps {
  options: ServerOptions;
  settings: CliSettings;
  keyring: Keyring;
  printer: Printer;
}

/** Prints findings; answers 1 when something is wrong. */
export async function doctor(deps: Deps): Promise<number> {
  const { printer, settings } = deps;
  const findings = [
    node(),
    await readSettings(),
    await folder(settings.dataDir),
    await command('git', ['--version'], 'workspaces of runs and repositories of projects need it'),
    await sandbox(settings.dataDir),
    ...(await server(deps)),
  ];
  if (printer.isJson) printer.json(findings);
  else {
    const marks = {
      ok: printer.paint('green', 'ok   '),
      note: printer.paint('yellow', 'note '),
      wrong: printer.paint('red', 'wrong'),
    };
    for (const { check, verdict, message } of findings) printer.line(`${marks[verdict]} ${check.padEnd(9)} ${message}`);
  }
  return findings.some(({ verdict }) => verdict === 'wrong') ? exitCodes.failed : exitCodes.done;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isKnown = major > 20 || (major === 20 && minor >= 19);
  const message = `Node ${process.versions.node}${isKnown ? '' : ': Rivulet needs 20.19 or newer'}`;
  return { check: 'node', verdict: isKnown ? 'ok' : 'wrong', message };
}

async function readSettings(): Promise<Finding> {
  try {
    await requireBackupSchedule(loadDataSettings().backupSchedule);
    return { check: 'settings', verdict: 'ok', message: 'the environment holds no wrong setting' };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { check: 'settings', verdict: 'wrong', message: error.message };
  }
}

async function folder(dataDir: string): Promise<Finding> {
  let there = dataDir;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const wrong = (why: string): Finding => ({
    check: 'folder',
    verdict: 'wrong',
    message: `${there} ${why}; RIVULET_DATA names another place`,
  });
  if (!statSync(there).isDirectory()) return wrong('is no folder');
  try {
    requireWritable(there);
  } catch {
    return wrong('cannot be written');
  }
  const refused = there === dataDir ? await refusedFolder(dataDir) : null;
  if (refused !== null) return { check: 'folder', verdict: 'wrong', message: refused };
  const { blocks, bfree, bavail, bsize } = statfsSync(there);
  const room = roomOf({ free: bavail * bsize, used: (blocks - bfree) * bsize });
  const where = there === dataDir ? dataDir : `${dataDir} is made at the first start`;
  const message = `${where}, ${room.free} free`;
  return { check: 'folder', verdict: room.state === 'Healthy' ? 'ok' : 'note', message };
}

/** What a start would say of a folder that is somebody else's, or whose database it refuses; null where it would use it. */
async function refusedFolder(dataDir: string): Promise<string | null> {
  try {
    const uses = loadDataSettings();
    requireOwnFolder(dataDir, uses);
    if (uses.documentsElsewhere) return null;
    const { requireStartable } = await import('../stores/embedded/startable.ts');
    const { newestMigration } = await import('../migrations/list.ts');
    requireStartable(dataDir, newestMigration);
    return null;
  } catch (error) {
    // The settings have a finding of their own.
    return error instanceof Fault ? error.text : null;
  }
}

async function command(name: string, args: string[], need: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(name, args, { timeout: 5000 });
    return { check: name, verdict: 'ok', message: stdout.split('\n')[0] ?? '' };
  } catch {
    return { check: name, verdict: 'note', message: `${name} was not found: ${need}` };
  }
}

/**
 * Tries the drivers as a start does: a program may be there that this machine does not let work. In a folder of its own,
 * since a server may be at work; within that of the data, where the engine of a server in a container finds it.
 */
async function sandbox(dataDir: string): Promise<Finding> {
  const finding = (verdict: Verdict, message: string): Finding => ({ check: 'sandbox', verdict, message });
  const [{ openDriver }, { readSandboxSettings }] = await Promise.all([
    import('../run-places/sandbox-driver.ts'),
    import('../run-places/sandbox-settings.ts'),
  ]);
  const directory = await mkdtemp(join(dataDir, 'sandbox', 'doctor-')).catch(() =>
    mkdtemp(join(tmpdir(), 'rivulet-doctor-')),
  );
  try {
    const { sandbox, sandboxSettings } = loadDataSettings();
    const { docker } = readSandboxSettings(sandboxSettings);
    const choice = await openDriver(sandbox, { directory, docker, clock: systemClock });
    const { name } = choice.require();
    const version = choice.reports.find(({ driver }) => driver === name)?.version ?? '';
    return finding('ok', `${name} ${version}`);
  } catch (error) {
    // Settings that are wrong have a finding of their own.
    if (error instanceof ConfigError) return finding('note', 'not tried, since a setting is wrong');
    return finding('note', `commands of agents are refused. ${explain(error).lines.join(' ')}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function server({ options, settings, keyring }: Deps): Promise<Finding[]> {
  const url = addressOf(options, settings, keyring);
  try {
    const info = await createClient({ baseUrl: url }).system.info();
    const first: Finding = { check: 'server', verdict: 'ok', message: `${info.name} ${info.version} on ${url}` };
    return [first, await readiness(url), await credential({ options, settings, keyring })];
  } catch (error) {
    const message = `${url}: ${explain(error).lines.join(' ')} "rivulet start" starts one.`;
    return [{ check: 'server', verdict: 'note', message }];
  }
}

async function readiness(url: string): Promise<Finding> {
  try {
    const { ready, checks } = await createClient({ baseUrl: url }).system.ready();
    const amiss = checks.filter(({ state }) => state !== 'Healthy');
    const named = amiss.map(({ name, detail }) => (detail ? `${name}: ${detail}` : name)).join(', ');
    const verdict = ready ? (amiss.length > 0 ? 'note' : 'ok') : 'wrong';
    return { check: 'ready', verdict, message: named || 'every dependency answers' };
  } catch (error) {
    return { check: 'ready', verdict: 'wrong', message: explain(error).lines.join(' ') };
  }
}

async function credential({ options, settings, keyring }: Omit<Deps, 'printer'>): Promise<Finding> {
  try {
    const { client } = await connect(options, settings, keyring);
    const me = await client.auth.me();
    return { check: 'key', verdict: 'ok', message: `signed in as ${nameOf(me)}` };
  } catch (error) {
    return { check: 'key', verdict: 'note', message: explain(error).lines.join(' ') };
  }
}
