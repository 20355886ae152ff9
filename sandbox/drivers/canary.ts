// The boot canary: a command in a real sandbox that tries to reach what must be out of reach.
import { randomUUID } from 'node:crypto';
import { chmod, chown, lchown, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { defaultLimits } from '../limits.ts';
import { sandboxUser } from '../user.ts';
import type { CanaryCheck, DriverSandbox, SandboxSpec } from './driver.ts';

/** Prints `name<TAB>yes|no<TAB>detail` for each check; needs only a POSIX shell, cat, grep and readlink. */
const script = `
say() { printf '%s\\t%s\\t%s\\n' "$1" "$2" "$3"; }
refused() { name=$1; shift; if ( "$@" ) >/dev/null 2>&1; then say "$name" no "$*"; else say "$name" yes "$*"; fi; }
overwrite() { echo canary > "$1"; }
refused 'host file read' cat "$1"
refused 'host file write' overwrite "$1"
refused '/proc/sys write' overwrite /proc/sys/kernel/domainname
refused 'root file system write' overwrite /canary
[ "$(id -u 2>/dev/null || echo 1)" != 0 ] && say 'not root' yes '' || say 'not root' no 'uid 0'
[ "$(grep -c . /proc/net/route 2>/dev/null || echo 0)" -le 1 ] && say 'no network routes' yes '' || say 'no network routes' no 'see /proc/net/route'
for kind in net pid mnt ipc; do say "namespace $kind" "$(readlink /proc/self/ns/$kind)" ''; done
grep -q '^Seccomp:[^0-9]*2' /proc/self/status && say seccomp yes '' || say seccomp no 'no filter'
grep -q '^NoNewPrivs:[^0-9]*1' /proc/self/status && say 'no new privileges' yes '' || say 'no new privileges' no ''
grep -q '^CapEff:[^0-9a-f]*0000000000000000' /proc/self/status && say capabilities yes '' || say capabilities no ''
cat /workspace/question > /workspace/answer && say 'workspace' yes '' || say 'workspace' no 'not writable'
`;

export interface CanaryResult {
  checks: CanaryCheck[];
  /** Reason why the canary could not run. */
  failure: string | null;
}

/**
 * Runs the canary in a sandbox from `create`. Never throws.
 *
 * @param parent host directory for the canary's workspace, such as real workspaces will have.
 */
export async function runCanary(
  create: (spec: SandboxSpec) => Promise<DriverSandbox>,
  parent: string = tmpdir(),
): Promise<CanaryResult> {
  const token = randomUUID();
  const directory = await mkdtemp(join(parent, 'rivulet-canary-'));
  let sandbox: DriverSandbox | null = null;
  try {
    await chmod(directory, 0o711);
    const workspace = join(directory, 'workspace');
    const marker = join(directory, 'marker');
    const user = sandboxUser('canary');
    await mkdir(workspace);
    await writeFile(join(workspace, 'question'), token);
    await writeFile(marker, token, { mode: 0o666 });
    await chmod(marker, 0o666);
    if (user.isDedicated) {
      await chown(workspace, user.uid, user.gid);
      await lchown(join(workspace, 'question'), user.uid, user.gid);
    }
    sandbox = await create({ id: `canary-${token.slice(0, 8)}`, workspace, user, limits: defaultLimits });
    const { output, failure } = await run(sandbox, ['/bin/sh', '-c', script, 'canary', marker, token]);
    if (!output) return { checks: [], failure: failure || 'The canary printed nothing.' };
    const checks = await Promise.all(output.trimEnd().split('\n').map(judge));
    checks.push({
      name: 'workspace shared with the server',
      held: (await readFile(join(workspace, 'answer'), 'utf8').catch(() => '')) === token,
      detail: workspace,
    });
    checks.push({ name: 'host file intact', held: (await readFile(marker, 'utf8')) === token, detail: marker });
    return { checks, failure: null };
  } catch (error) {
    return { checks: [], failure: error instanceof Error ? error.message : String(error) };
  } finally {
    await sandbox?.destroy().catch(() => {});
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(sandbox: DriverSandbox, argv: string[]): Promise<{ output: string; failure: string }> {
  const process = await sandbox.start({ argv, stdin: null });
  const limit = setTimeout(() => void process.kill(), 20_000);
  const [output, complaint, exit] = await Promise.all([
    text(process.stdout),
    process.stderr ? text(process.stderr) : '',
    process.exited,
  ]);
  clearTimeout(limit);
  return { output, failure: [exit.failure, complaint.trim()].filter(Boolean).join(' ') };
}

async function text(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function judge(line: string): Promise<CanaryCheck> {
  const [name = '', answer = '', detail = ''] = line.split('\t');
  const kind = /^namespace (\w+)$/.exec(name)?.[1];
  if (!kind) return { name, held: answer === 'yes', detail };
  const host = await readlink(`/proc/self/ns/${kind}`).catch(() => 'unknown');
  return { name, held: answer.startsWith(`${kind}:`) && answer !== host, detail: answer };
}
