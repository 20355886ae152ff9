// The examples run as they are written, each in a process of its own.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
/** Those that are programs: the page of embeds is tried in a browser. */
const names = readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'main.ts')));
let folder: string;

// Compiled once for all: each process would take four seconds of CPU to read the server's sources.
beforeAll(async () => {
  mkdirSync(join(root, 'dist'), { recursive: true });
  folder = mkdtempSync(join(root, 'dist/examples-'));
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => `examples/${name}/main.ts`),
    outbase: 'examples',
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
  for (const name of names) cpSync(join(root, 'examples', name), join(folder, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(name: string, ...args: string[]): Promise<string> {
  const options = { cwd: root, timeout: 60_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name, 'main.js'), ...args], options);
  return stdout;
}

describe('examples', () => {
  it('spawn-tree', async () => {
    const shown = await run('spawn-tree');
    expect(shown.match(/Child run \d+ Completed/g)).toHaveLength(3);
    expect(shown).toMatch(/The trip is planned: .*nine.*view.*light wind/);
    expect(shown).toMatch(/3 children, \d+ tokens of 200000 in the pool/);
  });

  it('escalation', async () => {
    const shown = await run('escalation');
    expect(shown).toContain('decided: Send it tomorrow');
    expect(shown).toMatch(/a second decision: This escalation is Resolved/);
    expect(shown).toContain('Completed: The answer was "Send it tomorrow", and that is what I do.');
    expect(await run('escalation', 'Throw it away')).toContain('The answer was "Throw it away"');
  });

  it('council', async () => {
    const shown = await run('council');
    expect(shown.match(/round [12], (Opening|Rebuttal) of/g)).toHaveLength(6);
    expect(shown.match(/Vote of/g)).toHaveLength(3);
    expect(shown).toContain('Consensus: SQLite');
    expect(shown).toContain('dissent of Cy: MongoDB');
    expect(shown).toContain('The council says: SQLite.');
  });

  it('resume-after-disconnect', async () => {
    const shown = await run('resume-after-disconnect');
    expect(shown.match(/it comes back by itself/g)?.length).toBeGreaterThanOrEqual(3);
    expect(shown).toMatch(/Every character once, 0 gaps, \d+ characters/);
  });

  it('agent-over-websocket', async () => {
    const shown = await run('agent-over-websocket');
    expect(shown).toContain('Harbour master is Present');
    expect(shown.match(/the agent looks/g)).toHaveLength(1);
    expect(shown).toContain('progress: looking for 42 metres');
    expect(shown).toContain('Completed: We moor at B7, which has room for 42 metres.');
  });
});
