// Mastra: an agent of `@mastra/core` with nothing stored, behind the plainest HTTP server.
import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, packageVersion } from '../../machine.ts';
import { freePort, startProgram } from '../../stream/peers/program.ts';
import type { Contender, RunningServer } from './contender.ts';
import { call } from './http.ts';
import { lastWords } from './provider.ts';

const name = '@mastra/core';
const folder = cacheFolder('mastra');

function look() {
  try {
    if (!packageVersion(folder, name)) {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      const words = ['install', '--no-audit', '--no-fund', '--silent', name, 'zod'];
      execFileSync('npm', words, { cwd: folder, timeout: 300_000 });
    }
  } catch (error) {
    return { missing: `npm could not install it: ${(error as Error).message.split('\n')[0]}` };
  }
  const version = packageVersion(folder, name);
  return version ? { version: `${version} (npm's choice for this Node)` } : { missing: 'npm did not install it' };
}

async function start(provider: string): Promise<RunningServer> {
  copyFileSync(join(import.meta.dirname, 'mastra-server.mjs'), join(folder, 'server.mjs'));
  const port = await freePort();
  const program = await startProgram(process.execPath, ['server.mjs'], {
    ports: [port],
    cwd: folder,
    environment: { PORT: String(port), OPENAI_BASE_URL: provider, MASTRA_TELEMETRY_DISABLED: '1' },
  });
  return {
    pids: () => [program.pid],
    async run() {
      const { text } = (await call(`http://127.0.0.1:${port}/`, 'POST')) as { text: string };
      if (text !== lastWords) throw new Error(`a run ended with ${text}`);
    },
    stop: program.stop,
  };
}

export const mastra: Contender = { name: 'Mastra', look, start };
