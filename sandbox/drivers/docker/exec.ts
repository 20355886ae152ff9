// One command in a running container.
import { randomUUID } from 'node:crypto';
import { type Duplex, PassThrough, Writable } from 'node:stream';
import type { Container, Exec } from 'dockerode';
import type { Clock } from '../../../src/kernel/clock.ts';
import { bridged } from '../../network/bridge.ts';
import type { DriverProcess, ProcessExit, StartRequest } from '../driver.ts';
import { demux, write } from './demux.ts';

export interface ExecContext {
  container: Container;
  /** True when commands reach the filtering proxy through a bridge, for which the image needs Node. */
  hasProxy: boolean;
  clock: Clock;
  /** Kills the whole container: the last resort against an unreachable process. */
  killContainer: () => Promise<void>;
}

/** Script that writes its process id to a file and then executes the command. */
const noting = 'echo $$ > "$0"; [ -z "$COLUMNS" ] || stty cols "$COLUMNS" rows "$LINES" 2>/dev/null; exec "$@"';
/**
 * Signals the command and its remaining descendants: engines differ in whether a command leads a process group,
 * and shells in how they name one.
 */
const signalling = `read -r all < "$0" || exit
signal=$1 more=yes
while [ "$more" ]; do
  more=
  for stat in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null < "$stat" || continue
    pid=\${line%% *}
    set -- \${line##*) }
    case " $all " in
      *" $pid "*) ;;
      *" $2 "*) all="$all $pid" more=yes ;;
    esac
  done
done
kill -"$signal" $all 2>/dev/null`;

/** Timeout in ms for a killed command before its container is killed. */
const killPatienceMs = 1_000;
/** Interval in ms of inspections: a child that keeps the output open must not hide that the command has ended. */
const inspectEveryMs = 1_000;

export async function startExec(context: ExecContext, request: StartRequest): Promise<DriverProcess> {
  const { container, clock } = context;
  const pidFile = `/tmp/.exec-${randomUUID()}`;
  const hasInput = request.stdin !== null;
  const size = request.pty ? { COLUMNS: String(request.pty.columns), LINES: String(request.pty.rows) } : {};
  const terminal = request.pty ? { TERM: 'xterm-256color', ...size } : {};
  const exec = await container.exec({
    Cmd: ['/bin/sh', '-c', noting, pidFile, ...(context.hasProxy ? bridged('node', request.argv) : request.argv)],
    WorkingDir: request.cwd ?? '/workspace',
    Env: Object.entries({ ...terminal, ...request.env }).map(([name, value]) => `${name}=${value}`),
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
    Tty: request.pty !== undefined,
  });
  const stream = await exec.start({ hijack: true, stdin: hasInput, Tty: request.pty !== undefined });
  if (request.pty) await exec.resize({ w: request.pty.columns, h: request.pty.rows }).catch(() => {});
  if (request.stdin instanceof Uint8Array) stream.end(request.stdin);
  const state = { isKilled: false };
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exited = follow(exec, stream, { stdout, stderr, isTerminal: request.pty !== undefined }, state, clock);
  const send = (signal: string) => run(container, ['/bin/sh', '-c', signalling, pidFile, signal]);
  return {
    stdout,
    stderr: request.pty ? null : stderr,
    stdin: request.stdin === 'open' ? inputOf(stream) : null,
    exited,
    terminate: () => send('TERM').catch(() => {}),
    kill: async () => {
      state.isKilled = true;
      // A container at its process limit cannot start the process that sends the signal.
      const isGone = await Promise.race([
        send('KILL')
          .then(() => exited)
          .then(
            () => true,
            () => false,
          ),
        clock.sleep(killPatienceMs).then(() => false),
      ]);
      if (!isGone) await context.killContainer();
      stream.destroy();
      await exited;
    },
    resize: (columns, rows) => exec.resize({ w: columns, h: rows }),
  };
}

interface Outputs {
  stdout: PassThrough;
  stderr: PassThrough;
  isTerminal: boolean;
}

async function follow(
  exec: Exec,
  stream: Duplex,
  { stdout, stderr, isTerminal }: Outputs,
  state: { isKilled: boolean },
  clock: Clock,
): Promise<ProcessExit> {
  const stopLooking = clock.every(inspectEveryMs, () => {
    exec.inspect().then(
      ({ Running }) => {
        if (!Running) clock.after(inspectEveryMs, () => stream.destroy());
      },
      () => stream.destroy(),
    );
  });
  try {
    if (isTerminal) for await (const chunk of stream) await write(stdout, chunk as Buffer);
    else await demux(stream, stdout, stderr);
  } catch {
    // The stream was destroyed, or the engine went away; the inspection below decides.
  }
  stopLooking();
  stdout.end();
  stderr.end();
  const exitCode = await exec.inspect().then(
    ({ ExitCode }) => ExitCode ?? 137,
    () => 137,
  );
  return { exitCode, outOfMemory: exitCode === 137 && !state.isKilled, failure: null };
}

/** Input of a command: ending this half of the connection closes it and leaves the output open. */
function inputOf(stream: Duplex): Writable {
  return new Writable({
    write: (chunk, _, done) => stream.write(chunk, done),
    final: (done) => {
      stream.end();
      done();
    },
  });
}

/** Runs a short auxiliary command to its end. */
async function run(container: Container, argv: string[]): Promise<void> {
  const exec = await container.exec({ Cmd: argv, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: false });
  stream.resume();
  await new Promise((resolve) => stream.once('close', resolve));
}
