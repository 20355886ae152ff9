// Small process that starts commands of git for the server. A fork copies the page tables of its parent: it stops the
// server for about 60 ms a GB that the server holds, and takes 1.5 ms here (measured on Node 20, Linux).
import { type ChildProcess, spawn } from 'node:child_process';

export interface Command {
  /** Arguments of /bin/sh. */
  args: string[];
  env: Record<string, string>;
  input?: string | Uint8Array;
  /** Limit of the output in bytes; more ends the command. */
  maxBytes: number;
  /** Limit of the duration; the end kills the command's whole process group. */
  seconds: number;
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Uint8Array;
  /** True when the output was longer than `maxBytes`. */
  isCut: boolean;
  /** First 4 KiB of the error output. */
  stderr: string;
}

type Answer = { id: number } & (Ended | { error: string });

/** Program of the process: CommonJS, since it is handed over as text. The end of the server ends its commands too. */
const program = `
  const { spawn } = require('node:child_process');
  const running = new Map();
  const end = (child) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {}
  };
  const start = ({ id, args, env, input, maxBytes, seconds }) => {
    const child = spawn('/bin/sh', args, { cwd: '/', env, detached: true });
    running.set(id, child);
    const timer = setTimeout(end, seconds * 1000, child);
    const pieces = [];
    let used = 0, isCut = false, stderr = '';
    const answer = (ended) => {
      clearTimeout(timer);
      running.delete(id);
      process.send({ id, ...ended });
    };
    child.stdout.on('data', (chunk) => {
      if (isCut) return;
      const room = chunk.subarray(0, maxBytes - used);
      pieces.push(room);
      used += room.length;
      isCut = room.length < chunk.length;
      if (isCut) end(child);
    });
    child.stderr.on('data', (chunk) => {
      if (stderr.length < 4096) stderr += chunk;
    });
    child.stdin.on('error', () => {});
    child.once('error', (error) => answer({ error: error.message }));
    child.once('close', (code, signal) => {
      if (running.has(id)) answer({ code, signal, stdout: Buffer.concat(pieces), isCut, stderr });
    });
    child.stdin.end(input);
  };
  process.on('message', (message) => {
    if (message.args) start(message);
    else if (running.has(message.id)) end(running.get(message.id));
  });
  process.on('disconnect', () => {
    for (const child of running.values()) end(child);
    process.exit();
  });`;

interface Starter {
  process: ChildProcess;
  waiting: Map<number, (answer: Ended | Error) => void>;
}

let starter: Starter | null = null;
let lastId = 0;

/**
 * Runs a command in a process group of its own.
 *
 * @param stop - ends it, which then counts as killed
 * @throws Error when it cannot be started, or the process that starts it ends
 */
export function runCommand(command: Command, stop?: AbortSignal): Promise<Ended> {
  const { process: child, waiting } = running();
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    const end = () => child.send({ id });
    hold(child, true);
    waiting.set(id, (answer) => {
      waiting.delete(id);
      stop?.removeEventListener('abort', end);
      if (waiting.size === 0) hold(child, false);
      if (answer instanceof Error) reject(answer);
      else resolve(answer);
    });
    child.send({ id, ...command });
    if (stop?.aborted) end();
    else stop?.addEventListener('abort', end);
  });
}

/** The process, started when it is first needed and after it has died. */
function running(): Starter {
  if (starter) return starter;
  const child = spawn(process.execPath, ['-e', program], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    // Ctrl+C at a terminal goes to the server alone, which ends its work before this process.
    detached: true,
  });
  const started: Starter = { process: child, waiting: new Map() };
  const lose = (error: Error) => {
    if (starter === started) starter = null;
    for (const settle of [...started.waiting.values()]) settle(error);
  };
  child.on('message', ({ id, ...answer }: Answer) => {
    started.waiting.get(id)?.('error' in answer ? new Error(answer.error) : answer);
  });
  child.on('error', lose);
  child.on('exit', (code, signal) => lose(new Error(`The process that starts git ended with ${code ?? signal}.`)));
  starter = started;
  return started;
}

/** While a command runs it keeps the server alive; at other times the server may end. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  for (const one of [child, child.channel])
    if (isNeeded) one?.ref();
    else one?.unref();
}
