// LangGraph's local server (`langgraph dev`, which keeps everything in memory) with the usual graph of a model and tools.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, firstLine, pin } from '../../machine.ts';
import { familyOf } from '../../process-cost.ts';
import { freePort } from '../../stream/peers/program.ts';
import type { Contender, RunningServer } from './contender.ts';
import { call } from './http.ts';
import { lastWords } from './provider.ts';

const folder = cacheFolder('langgraph');
const bin = (name: string) => join(folder, 'bin', name);
const packages = ['langgraph', 'langgraph-api', 'langgraph-cli', 'langchain-openai'];

function look() {
  try {
    if (!existsSync(bin('langgraph'))) {
      execFileSync('python3', ['-m', 'venv', folder], { timeout: 60_000 });
      const wanted = ['install', '-q', 'langgraph-cli[inmem]', 'langchain-openai'];
      execFileSync(bin('pip'), wanted, { timeout: 600_000, stdio: 'ignore' });
    }
  } catch (error) {
    return { missing: `pip could not install it: ${(error as Error).message.split('\n')[0]}` };
  }
  const script = `from importlib.metadata import version as v; print(', '.join(f'{p} {v(p)}' for p in ${JSON.stringify(packages)}))`;
  const version = firstLine(bin('python'), '-c', script);
  return version ? { version } : { missing: 'pip did not install it' };
}

interface State {
  messages?: { content: string }[];
}

/** Milliseconds that the server gets to start. */
const startMs = 60_000;

async function start(provider: string, atOnce: number): Promise<RunningServer> {
  copyFileSync(join(import.meta.dirname, 'langgraph-agent.py'), join(folder, 'agent.py'));
  writeFileSync(join(folder, 'langgraph.json'), '{"dependencies":["."],"graphs":{"agent":"./agent.py:graph"}}');
  const port = await freePort();
  const words = ['dev', '--no-browser', '--no-reload', '--port', String(port), '--n-jobs-per-worker', String(atOnce)];
  const log = openSync(join(folder, 'server.log'), 'w');
  const child: ChildProcess = spawn(bin('langgraph'), words, {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env.PATH,
      OPENAI_BASE_URL: provider,
      LANGSMITH_TRACING: 'false',
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      LOG_LEVEL: 'WARNING',
    },
  });
  const kill = () => void child.kill('SIGTERM');
  process.once('exit', kill);
  const until = performance.now() + startMs;
  for (;;) {
    const up = await call(`http://127.0.0.1:${port}/ok`, 'GET').catch(() => null);
    if (up) break;
    if (child.exitCode !== null || performance.now() > until) throw new Error('langgraph dev did not start');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (const pid of familyOf(child.pid ?? 0)) pin(pid, 0);
  const input = { messages: [{ role: 'user', content: 'Work in steps.' }] };
  return {
    pids: () => familyOf(child.pid ?? 0),
    async run() {
      const request = { assistant_id: 'agent', input };
      const state = (await call(`http://127.0.0.1:${port}/runs/wait`, 'POST', request)) as State;
      const said = state.messages?.at(-1)?.content;
      if (said !== lastWords) throw new Error(`a run ended with ${JSON.stringify(state).slice(0, 200)}`);
    },
    async stop() {
      process.removeListener('exit', kill);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      kill();
      await gone;
    },
  };
}

export const langgraph: Contender = { name: 'LangGraph local server', look, start };
