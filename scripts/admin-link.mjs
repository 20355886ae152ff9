// `npm run admin:link`: builds the server if it is stale, then prints a sign-in link; see src/admin-link.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const build = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs'), '--server'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (build.status !== 0) process.exit(build.status ?? 1);

await import('../dist/server/admin-link.js');
