// Starts one confined command and follows it to its end.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, constants, lstatSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DriverProcess, ProcessExit, SandboxSpec, StartRequest } from '../driver.ts';
import type { Cgroup } from './cgroups.ts';
import { commandLine, descriptors, variableArguments } from './command-line.ts';
import type { Fifos, Pipe } from './fifos.ts';
import { descendants, signal } from './process-tree.ts';

/** Files of the driver that every command gets as descriptors. */
export interface LaunchFiles {
  seccomp: string;
  passwd: string;
  group: string;
  hosts: string;
}

export interface LaunchContext {
  spec: SandboxSpec;
  temporary: string;
  cgroup: Cgroup | null;
  isStaged: boolean;
  limitsMemoryPerProcess: boolean;
  fifos: Fifos;
  files: LaunchFiles;
}

/** A running command and the host pid of the first process in its own pid namespace, once known and until it is gone. */
export interface Launched extends DriverProcess {
  /** Null until bubblewrap reported it, if it never did, and once every process of the command is gone. */
  namespacePid(): number | null;
}

/** What bubblewrap writes on its status descriptor, one JSON object a line. */
interface Status {
  namespacePid: number | null;
  exitCode: number | null;
}

/** Launches a command. Its exit resolves when every process of it is gone. */
export async function launch(context: LaunchContext, request: StartRequest): Promise<Launched> {
  const { fifos, spec, cgroup } = context;
  const stdout = await fifos.reader();
  const stderr = await fifos.reader();
  const input = openInput(request.stdin, context.temporary);
  const variables = openNameless(Buffer.from(variableArguments(request)), context.temporary, 0o600);
  const killsBefore = (await cgroup?.outOfMemoryKills()) ?? 0;
  const files = Object.values(orderedFiles(context.files)).map((path) => openSync(path, constants.O_RDONLY));
  const [program, ...args] = commandLine({
    spec,
    request,
    temporary: context.temporary,
    hasGitFile: lstatSync(join(spec.workspace, '.git'), { throwIfNoEntry: false })?.isFile() ?? false,
    joinFiles: cgroup?.joinFiles ?? [],
    isStaged: context.isStaged,
    limitsMemoryPerProcess: context.limitsMemoryPerProcess,
  });
  const child = spawn(program ?? '', args, {
    cwd: '/',
    // These variables would be visible inside, in /proc/1/environ.
    env: {},
    stdio: [input, stdout.theirs, stderr.theirs, ...files, 'pipe', variables],
  });
  for (const descriptor of [...files, variables, stdout.theirs, stderr.theirs]) closeSync(descriptor);
  if (typeof input === 'number') closeSync(input);
  const status = readStatus(child);
  const exited = follow(child, status, context, killsBefore, stderr.stream, request);
  releaseWhenDone([stdout, stderr], exited);
  // The number of a process that is gone may be another one's.
  let isGone = false;
  void exited.then(() => {
    isGone = true;
  });
  const namespacePid = () => (isGone ? null : status.now.namespacePid);
  return {
    stdout: stdout.stream,
    stderr: request.pty ? null : stderr.stream,
    stdin: child.stdin,
    exited,
    namespacePid,
    terminate: async () => {
      const pid = namespacePid();
      for (const one of pid === null ? [] : await descendants(pid)) signal(one, 'SIGTERM');
    },
    kill: async () => {
      // The death of a pid namespace's first process kills all others in it.
      const pid = namespacePid();
      if (pid !== null) signal(pid, 'SIGKILL');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Opens known input as a deleted file: unlike a pipe it can be reopened as /dev/stdin. */
function openInput(stdin: StartRequest['stdin'], directory: string): 'ignore' | 'pipe' | number {
  if (stdin === null) return 'ignore';
  if (stdin === 'open') return 'pipe';
  return openNameless(stdin, directory, 0o644);
}

/** A file with these bytes that leaves the disk with its last descriptor. */
function openNameless(bytes: Uint8Array, directory: string, mode: number): number {
  // The file is beside /tmp, since inside the sandbox could have planted a link.
  const path = join(dirname(directory), `input-${randomUUID()}`);
  writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
  try {
    chmodSync(path, mode);
    return openSync(path, constants.O_RDONLY);
  } finally {
    unlinkSync(path);
  }
}

/** Files in the order of `descriptors`. */
const orderedFiles = ({ seccomp, passwd, group, hosts }: LaunchFiles) => [seccomp, passwd, group, hosts];

function readStatus(child: ChildProcess): { now: Status; ended: Promise<void> } {
  const now: Status = { namespacePid: null, exitCode: null };
  const stream = (child.stdio as unknown as Readable[])[descriptors.status] as Readable;
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const child = /"child-pid": (\d+)/.exec(text)?.[1];
    const code = /"exit-code": (\d+)/.exec(text)?.[1];
    if (child) now.namespacePid = Number(child);
    if (code) now.exitCode = Number(code);
  });
  const ended = new Promise<void>((resolve) => {
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
  return { now, ended };
}

async function follow(
  child: ChildProcess,
  status: ReturnType<typeof readStatus>,
  { cgroup }: LaunchContext,
  killsBefore: number,
  stderr: Readable,
  request: StartRequest,
): Promise<ProcessExit> {
  // A pseudo-terminal sends all output to stdout; messages of the launcher must not block it.
  const complaint: Buffer[] = [];
  if (request.pty) stderr.on('data', (chunk: Buffer) => complaint.push(chunk));
  const ended = await new Promise<{ code: number | null; signal: NodeJS.Signals | null; error?: Error }>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  if (!ended.error) await status.ended;
  const kills = (await cgroup?.outOfMemoryKills()) ?? 0;
  const outOfMemory = kills > killsBefore;
  if (status.now.exitCode !== null) return { exitCode: status.now.exitCode, outOfMemory, failure: null };
  if (ended.signal || status.now.namespacePid !== null) return { exitCode: 137, outOfMemory, failure: null };
  const failure = ended.error ? ended.error.message : `The launcher ended with code ${ended.code}.`;
  return { exitCode: null, outOfMemory, failure };
}

/** Releases pipes when the server's end has closed and the command is gone. */
function releaseWhenDone(pipes: Pipe[], exited: Promise<unknown>): void {
  for (const pipe of pipes) {
    const closed = new Promise<void>((resolve) => pipe.stream.once('close', () => resolve()));
    void Promise.all([closed, exited]).then(() => pipe.release());
  }
}
