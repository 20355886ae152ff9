// `npm run test:clients`: installs the clients of others side by side, runs a suite for each, and writes the table of
// docs/compatibility.md. `-- --newest` tries the newest versions instead of the pinned ones, and writes nothing.
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, type Installed, install, readSets } from './install.ts';
import type { ClientSet } from './installers.ts';
import { type Results, tablesOf } from './table.ts';

const newest = process.argv.includes('--newest');
const began = Date.now();
await mkdir(cache, { recursive: true });
const sets = Object.entries(await readSets());
const installed: Record<string, Installed> = {};
const lanes = new Map<string, Promise<void>>();
await Promise.all(
  sets.map(([name, set]) => {
    // One Go build after the other: the next one finds what the first has compiled.
    const before = set.kind === 'go' ? lanes.get('go') : undefined;
    const lane = (before ?? Promise.resolve()).then(() => put(name, set));
    lanes.set(set.kind, lane);
    return lane;
  }),
);

async function put(name: string, set: ClientSet): Promise<void> {
  const found = await install(name, set, newest);
  installed[name] = found;
  const what = 'skipped' in found ? `skipped, ${found.skipped}` : JSON.stringify(found.versions);
  console.log(`${name}: ${what} after ${Math.round((Date.now() - began) / 1000)} s`);
}

await writeFile(join(cache, 'installed.json'), JSON.stringify(installed));

const results = join(cache, 'results.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
const args = ['run', '--project', 'clients', '--maxWorkers=2', ...reporters];
const vitest = spawn('npx', ['vitest', ...args], { stdio: 'inherit' });
const code = await new Promise<number>((resolve) => vitest.on('close', (status) => resolve(status ?? 1)));

const whole = Object.values(installed).every((set) => !('skipped' in set));
if (whole) {
  // Also where it is not written: a flow without a test and without a reason fails.
  const tables = tablesOf(JSON.parse(await readFile(results, 'utf8')) as Results);
  if (!newest && !process.env.CI) await write('docs/compatibility.md', tables);
}
process.exit(code);

async function write(document: string, tables: string): Promise<void> {
  const text = await readFile(document, 'utf8');
  await writeFile(document, text.replace(/(<!-- clients -->\n)[\s\S]*(<!-- \/clients -->)/, `$1\n${tables}\n\n$2`));
  console.log(`${document} has the tables of this run.`);
}
