// Git on directories that an agent can write: their content cannot run code, configure git, mislead it, or
// keep it busy for long.
import { spawn } from 'node:child_process';
import { Fault } from '../../src/kernel/fault.ts';
import { runCommand } from './git-starter.ts';

export interface GitPlace {
  gitDir: string;
  workTree?: string;
  /** Path of another index than the git directory's own. */
  indexFile?: string;
}

export interface GitOptions {
  input?: string | Uint8Array;
  env?: Record<string, string>;
  /** Exit codes that are no errors; 0 when absent. */
  accept?: number[];
  /** Limit of the output in bytes; more is an error, or cut with `cutsOutput`. */
  maxBytes?: number;
  cutsOutput?: boolean;
  /** Protocols that git may use for this call; none when absent. */
  protocols?: string[];
  config?: Record<string, string>;
  /** Expected amount of work, or the limits themselves. */
  work?: Work | GitLimits;
  /** Ends the call, which then fails. */
  stop?: AbortSignal;
}

/** Limits in seconds of wall-clock and CPU time, and in KiB of address space. */
export interface GitLimits {
  seconds: number;
  cpuSeconds: number;
  memoryKib: number;
}

/** `large` is for what grows with the files of a workspace or a repository. */
type Work = 'ordinary' | 'large';

export interface GitAnswer {
  code: number;
  stdout: Buffer;
  /** True when the output was longer than `maxBytes`. */
  isCut: boolean;
}

/** Settings that no file may override: the command line takes precedence over every configuration file. */
const armour: Record<string, string> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.quotePath': 'false',
  'core.autocrlf': 'false',
  'core.symlinks': 'true',
  'core.untrackedCache': 'false',
  'core.pager': 'cat',
  'commit.gpgSign': 'false',
  'diff.external': '',
  'diff.ignoreSubmodules': 'all',
  'submodule.recurse': 'false',
  'gc.auto': '0',
  // What git says to be stored is on the disk. Versions before 2.36 do not know this setting.
  'core.fsync': 'all',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  // The empty tree, so that attributes committed by an agent are ignored.
  'attr.tree': '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  // Files above this size are streamed, and compared as a whole.
  'core.bigFileThreshold': '32m',
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '256m',
  'core.deltaBaseCacheLimit': '64m',
  'pack.threads': '1',
  'pack.windowMemory': '128m',
  'advice.detachedHead': 'false',
  'http.followRedirects': 'false',
};

/** The whole environment of every call. */
const environment: Record<string, string> = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
};

/** Options of every command that compares contents. */
export const plainDiff = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color'];

/** Arguments and environment of a call, before the subcommand. */
function call(place: GitPlace | null, options: GitOptions) {
  const config = { ...armour, ...options.config };
  for (const protocol of options.protocols ?? []) config[`protocol.${protocol}.allow`] = 'always';
  return {
    args: [
      ...(place ? [`--git-dir=${place.gitDir}`] : []),
      ...(place?.workTree ? [`--work-tree=${place.workTree}`] : []),
      '--literal-pathspecs',
      ...Object.entries(config).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    env: {
      ...environment,
      ...(place?.indexFile ? { GIT_INDEX_FILE: place.indexFile } : {}),
      ...options.env,
    },
  };
}

/** Limits by amount of work. */
const limitsOf: Record<Work, GitLimits> = {
  ordinary: { seconds: 120, cpuSeconds: 30, memoryKib: 2 * 1024 * 1024 },
  large: { seconds: 900, cpuSeconds: 300, memoryKib: 2 * 1024 * 1024 },
};

/** Script that sets limits; systems without one of them go on, and the wall-clock limit applies everywhere. */
const limitScript = 'ulimit -t "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; shift 2; exec "$@"';

/** Arguments of /bin/sh, environment and limits of a call. */
function limited(place: GitPlace | null, args: string[], options: GitOptions) {
  const { args: before, env } = call(place, options);
  const { work = 'ordinary' } = options;
  const { seconds, cpuSeconds, memoryKib } = typeof work === 'string' ? limitsOf[work] : work;
  const line = ['-c', limitScript, 'git', String(cpuSeconds), String(memoryKib), 'git', ...before, ...args];
  return { args: line, env, seconds };
}

/** Starts git for a caller that talks to it over its pipes; `end` kills all processes that it started. */
export function startGit(place: GitPlace, args: string[]) {
  const { args: line, env, seconds } = limited(place, args, { work: 'large' });
  // A process group of its own, since git starts helpers.
  const child = spawn('/bin/sh', line, { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  // The number of a group that is gone may be another one's.
  let isGone = false;
  const end = () => {
    try {
      if (child.pid !== undefined && !isGone) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has ended already.
    }
  };
  const timer = setTimeout(end, seconds * 1000);
  timer.unref();
  child.once('close', () => {
    isGone = true;
    clearTimeout(timer);
  });
  child.stdin.on('error', () => {});
  return { input: child.stdin, output: child.stdout, end };
}

/** Runs git to its end. Throws Fault NOT_CONFIGURED without git, INTERNAL_ERROR when it fails. */
export async function git(place: GitPlace | null, args: string[], options: GitOptions = {}): Promise<GitAnswer> {
  const { maxBytes = 64 * 1024 * 1024, accept = [0], input } = options;
  const command = { ...limited(place, args, options), maxBytes, ...(input === undefined ? {} : { input }) };
  const { code, signal, stdout, isCut, stderr } = await runCommand(command, options.stop);
  const isFine = isCut ? options.cutsOutput : code !== null && accept.includes(code);
  if (isFine) return { code: code ?? 0, stdout: Buffer.from(stdout.buffer, stdout.byteOffset, stdout.length), isCut };
  if (code === notFound) throw missingGit();
  if (signal === 'SIGKILL' && !isCut) throw tooMuch(args);
  const what = isCut ? 'answered with too much' : `failed with ${code ?? signal}`;
  throw new Error(`git ${args.slice(0, 2).join(' ')} ${what}: ${stderr.trim()}`);
}

/** Output of git as a single line. */
export async function gitLine(place: GitPlace | null, args: string[], options?: GitOptions): Promise<string> {
  return (await git(place, args, options)).stdout.toString().trim();
}

/** Output of git as fields separated by NUL. */
export async function gitFields(place: GitPlace, args: string[], options?: GitOptions): Promise<string[]> {
  const text = (await git(place, args, options)).stdout.toString();
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

export interface IndexEntry {
  /** Mode as git writes it, e.g. 100644. */
  mode: string;
  id: string;
}

/** Entries of an index, by path. */
export async function indexEntries(place: GitPlace): Promise<Map<string, IndexEntry>> {
  const fields = await gitFields(place, ['ls-files', '-z', '--stage']);
  return new Map(
    fields.map((field) => {
      const end = field.indexOf('\t');
      const [mode = '', id = ''] = field.slice(0, end).split(' ');
      return [field.slice(end + 1), { mode, id }];
    }),
  );
}

/** [major, minor] of the installed git. Throws Fault NOT_CONFIGURED without one. */
export async function gitVersion(): Promise<[number, number]> {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(await gitLine(null, ['version'])) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}

/** Throws Fault NOT_CONFIGURED when git is missing or older than `minor` of version 2. */
export async function requireGit(minor = 31): Promise<void> {
  const [major, found] = await gitVersion();
  if (major > 2 || (major === 2 && found >= minor)) return;
  throw new Fault('NOT_CONFIGURED', `This needs git 2.${minor}; the server has ${major}.${found}.`, {
    hint: 'Install a newer git and try again; no restart is needed.',
  });
}

/** Exit code of a shell that does not find the program. */
const notFound = 127;

const tooMuch = (args: string[]) =>
  new Fault('QUOTA_EXCEEDED', `git ${args[0]} took more time or memory than it may.`, {
    hint: 'Make the files smaller or fewer.',
  });

const missingGit = () =>
  new Fault('NOT_CONFIGURED', 'Workspaces need git, and the server has none.', {
    hint: 'Install git (apt install git) and try again; no restart is needed.',
  });
