// `npm run backup`, `npm run restore` and `npm run prices`: builds what is stale, then runs the command in this process.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const build = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs'), '--server'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

await import('../dist/server/commands.js');
