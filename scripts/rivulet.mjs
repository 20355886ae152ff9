// `npm start`, `npm run demo`, `backup`, `restore`, `move`, `prices` and `admin:link`: builds what is stale, then runs that
// command of `rivulet` in this process.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const needsPages = ['start', 'demo'].includes(process.argv[2]);
// In a process of its own: the memory that a build takes would stay with the server.
const build = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'build.mjs'), ...(needsPages ? [] : ['--server'])],
  {
    // What a command prints is its own; only a start says what it builds.
    stdio: ['ignore', needsPages ? 'inherit' : 'ignore', 'inherit'],
  },
);
if (build.status !== 0) process.exit(build.status ?? 1);

await import('../dist/server/cli/rivulet.js');
