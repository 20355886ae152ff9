// Git as the host calls it on directories that an agent can write: nothing in them may run, configure or mislead it.
import { spawn } from 'node:child_process';
import { Fault } from '../../src/kernel/fault.ts';

export interface GitPlace {
  gitDir: string;
  workTree?: string;
  /** Another index than the git dir's own. */
  indexFile?: string;
}

export interface GitOptions {
  input?: string | Uint8Array;
  env?: Record<string, string>;
  /** Exit codes that are answers, not errors; 0 when absent. */
  accept?: number[];
  /** Output beyond this is an error, or cut when `cutsOutput`. */
  maxBytes?: number;
  cutsOutput?: boolean;
  /** Protocols git may speak for this call; none when absent. */
  protocols?: string[];
  config?: Record<string, string>;
  timeoutMs?: number;
}

export interface GitAnswer {
  code: number;
  stdout: Buffer;
  /** The output was longer than `maxBytes`. */
  isCut: boolean;
}

/** Settings that no file may override: command line beats every configuration file. */
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
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
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

/** Options for every command that compares contents. */
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

/** Starts git for a caller that talks to it over its pipes. */
export function startGit(place: GitPlace, args: string[]) {
  const { args: before, env } = call(place, {});
  return spawn('git', [...before, ...args], { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** Runs git to its end. Throws Fault NOT_CONFIGURED without git, INTERNAL_ERROR when it fails. */
export function git(place: GitPlace | null, args: string[], options: GitOptions = {}): Promise<GitAnswer> {
  const { maxBytes = 64 * 1024 * 1024, accept = [0] } = options;
  const { args: before, env } = call(place, options);
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...before, ...args], {
      cwd: '/',
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const stdout: Buffer[] = [];
    let used = 0;
    let isCut = false;
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (isCut) return;
      const room = chunk.subarray(0, maxBytes - used);
      stdout.push(room);
      used += room.length;
      isCut = room.length < chunk.length;
      if (isCut) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 4096) complaint += chunk.toString();
    });
    child.on('error', (error) => reject(missingGit(error)));
    child.on('close', (code) => {
      const isFine = isCut ? options.cutsOutput : code !== null && accept.includes(code);
      if (isFine) return resolve({ code: code ?? 0, stdout: Buffer.concat(stdout), isCut });
      const what = isCut ? 'answered with too much' : `failed with ${code ?? child.signalCode}`;
      reject(new Error(`git ${args.slice(0, 2).join(' ')} ${what}: ${complaint.trim()}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input);
  });
}

/** One line of git's output. */
export async function gitLine(place: GitPlace | null, args: string[], options?: GitOptions): Promise<string> {
  return (await git(place, args, options)).stdout.toString().trim();
}

/** The fields of output that is separated by NUL. */
export async function gitFields(place: GitPlace, args: string[], options?: GitOptions): Promise<string[]> {
  const text = (await git(place, args, options)).stdout.toString();
  return text === '' ? [] : text.replace(/\0$/, '').split('\0');
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

function missingGit(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  return new Fault('NOT_CONFIGURED', 'Workspaces need git, and the server has none.', {
    hint: 'Install git (apt install git) and try again; no restart is needed.',
    cause: error,
  });
}
