// MongoDB-compatible servers for the integration tests: those whose tools are installed are built once and started.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { alone, unlessBuilt } from '../building.ts';

const run = promisify(execFile);
const sources = import.meta.dirname;
const cache = join(sources, '..', '.cache');

export interface RunningServer {
  uri: string;
  /** Has it stand still, as a machine that swaps does, or go on; where it is a process of ours. */
  freeze?(is: boolean): void;
  stop(): Promise<void>;
}

export interface ServerKind {
  name: string;
  /** Why it can't be started here; null when it can. */
  missing(): Promise<string | null>;
  start(): Promise<RunningServer>;
}

async function lacks(tool: string, ...args: string[]): Promise<string | null> {
  try {
    await run(tool, args);
    return null;
  } catch {
    return `${tool} is not installed`;
  }
}

/** Starts a program that prints its URI first and ends when its input does. */
async function startProgram(command: string, args: string[], cwd?: string): Promise<RunningServer> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], ...(cwd ? { cwd } : {}) });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const uri = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code} before it was ready`)));
  });
  return {
    uri,
    freeze: (is) => void child.kill(is ? 'SIGSTOP' : 'SIGCONT'),
    async stop() {
      // A test that failed may have left it frozen.
      child.kill('SIGCONT');
      child.stdin.end();
      await exited;
    },
  };
}

/** Does its work once a process, which starts a server for each file that needs one. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** Builds a server from its sources into a folder of the cache, unless another process has; a running one is left alone. */
async function built(name: string, build: (sources: string, folder: string) => Promise<unknown>): Promise<string> {
  const [from, folder] = [join(sources, name), join(cache, name)];
  await alone(folder, async () => {
    const hash = createHash('sha256');
    for (const file of (await readdir(from, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()))
      hash.update(file.name).update(await readFile(join(file.parentPath, file.name)));
    await unlessBuilt(folder, hash.digest('hex'), async () => void (await build(from, folder)));
  });
  return folder;
}

/** The path of the program. */
const buildFerretdb = once(async () => {
  const build = (cwd: string, folder: string) => run('go', ['build', '-o', join(folder, 'ferretdb'), '.'], { cwd });
  return join(await built('ferretdb', build), 'ferretdb');
});

export const ferretdb: ServerKind = {
  name: 'FerretDB 1.24',
  missing: once(() => lacks('go', 'version')),
  async start() {
    const program = await buildFerretdb();
    const folder = await mkdtemp(join(tmpdir(), 'rivulet-ferretdb-'));
    const server = await startProgram(program, [folder]);
    return {
      uri: server.uri,
      async stop() {
        await server.stop();
        await rm(folder, { recursive: true });
      },
    };
  },
};

/** A server of a test lives too briefly for code that is worth optimizing, and for a collector with threads of its own. */
const brief = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** The folder of the compiled classes, and the paths of the libraries. */
const buildMongoJavaServer = once(async () => {
  const goals = ['-q', '-B', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
  const project = await built('mongo-java-server', async (from, cwd) => {
    await cp(from, cwd, { recursive: true });
    await run('mvn', goals, { cwd });
  });
  return { project, classpath: (await readFile(join(project, 'classpath.txt'), 'utf8')).trim() };
});

export const mongoJavaServer: ServerKind = {
  name: 'mongo-java-server 1.47',
  missing: once(async () => (await lacks('java', '-version')) ?? lacks('mvn', '-version')),
  async start() {
    const { project, classpath } = await buildMongoJavaServer();
    return startProgram('java', [...brief, '-cp', `target/classes:${classpath}`, 'Main'], project);
  },
};

/** The server that MONGODB_URI names. */
export const configured: ServerKind = {
  name: 'MongoDB at MONGODB_URI',
  missing: async () => (process.env.MONGODB_URI ? null : 'MONGODB_URI is not set'),
  start: async () => ({ uri: process.env.MONGODB_URI!, stop: async () => {} }),
};
