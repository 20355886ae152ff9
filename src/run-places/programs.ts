// Programs that are spoken with line by line, each in a sandbox of its own over a folder that its restarts share.
import { randomUUID } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSandbox } from '../../sandbox/commands/sandbox.ts';
import type { DriverChoice } from '../../sandbox/drivers/choose-driver.ts';
import { resolveLimits, type SandboxLimits } from '../../sandbox/limits.ts';
import type { HostPattern } from '../../sandbox/network/allow-list.ts';
import { openProxy } from '../../sandbox/network/proxy.ts';
import { sandboxUser } from '../../sandbox/user.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Program, ProgramSpec, Programs } from '../ports/programs.ts';

interface Deps {
  driver: DriverChoice;
  /** Where the folders of programs are. */
  folder: string;
  /** What the operator grants to the role `mcp`, within the ceilings of all sandboxes. */
  limits: Partial<SandboxLimits>;
  ceilings: Partial<SandboxLimits>;
  /** Hosts that programs may reach; none means no network. */
  hosts: readonly HostPattern[];
  privateHosts: boolean;
  clock: Clock;
}

/** A program stays as long as it is used; its session ends it. */
const programLimits: Partial<SandboxLimits> = { commandTimeoutMs: 86_400_000, outputBytes: 256 * 1024 * 1024 };
/** Bytes of one line: more ends the program. */
const mostLineBytes = 8 << 20;
/** Characters of its standard error that are told when it ends. */
const saidLast = 500;
const graceMs = 1000;

export function createPrograms(deps: Deps): Programs & { close(): Promise<void> } {
  const running = new Set<Program>();
  return {
    start: async (spec) => {
      const program = await start(deps, spec);
      running.add(program);
      void program.ended.finally(() => running.delete(program));
      return program;
    },
    close: async () => {
      await Promise.allSettled([...running].map((one) => one.end()));
    },
  };
}

async function start(deps: Deps, spec: ProgramSpec): Promise<Program & { ended: Promise<void> }> {
  const { sandbox, limits, clear } = await openPlace(deps, spec);
  const said = { last: '', isOver: false };
  const lines = lineReader(spec.onLine);
  const begun = sandbox.exec({
    argv: ['sh', '-c', spec.command],
    // What a package manager has fetched is there the next time.
    env: { HOME: '/workspace', ...spec.env },
    stdin: 'open',
    timeoutMs: limits.commandTimeoutMs,
    onOutput: ({ stream, bytes }) => {
      if (stream === 'Stdout') lines(bytes);
      else said.last = (said.last + Buffer.from(bytes).toString('utf8')).slice(-saidLast);
    },
  });
  const execution = await begun.catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  const over = async (how: string) => {
    said.isOver = true;
    await clear().catch(() => {});
    spec.onEnd(`The program ended with ${how}. ${said.last.replaceAll('\0', '')}`.trim());
  };
  const ended = execution.result.then(
    ({ exitCode, endedBy }) => over(endedBy === 'exit' ? `exit code ${exitCode}` : endedBy),
    () => over('a line that is too long'),
  );
  return {
    ended,
    write: (line) =>
      new Promise((done, failed) => {
        const gone = () => failed(new Fault('NOT_READY', 'The program has ended.'));
        if (said.isOver || !execution.stdin) return gone();
        execution.stdin.write(`${line}\n`, (error) => (error ? gone() : done()));
      }),
    end: async () => {
      if (!said.isOver) await execution.end('stop', graceMs).catch(() => {});
      await ended;
    },
  };
}

/** A sandbox over the program's folder, with the way out that the operator grants. */
async function openPlace(deps: Deps, { tenantId, name }: ProgramSpec) {
  const driver = deps.driver.require();
  const key = `${tenantId}-${name}`;
  const user = sandboxUser(`program-${key}`);
  const workspace = join(deps.folder, key);
  await mkdir(workspace, { recursive: true, mode: 0o755 });
  if (user.isDedicated) await chown(workspace, user.uid, user.gid);
  const limits = resolveLimits({ ...programLimits, ...deps.limits }, { ...deps.ceilings, ...longLived(deps.limits) });
  const { hosts, privateHosts: allowsPrivate } = deps;
  const proxy = hosts.length > 0 ? await openProxy({ allow: hosts, allowsPrivate, parent: driver.proxies }) : null;
  const id = `program-${randomUUID().slice(0, 18)}`;
  const about = { id, workspace, user, limits, ...(proxy && { proxyDirectory: proxy.directory }) };
  try {
    const sandbox = await openSandbox(driver, about, deps.clock);
    const clear = async () => {
      await sandbox.destroy();
      await proxy?.close();
    };
    return { sandbox, limits, clear };
  } catch (error) {
    await proxy?.close();
    throw error;
  }
}

/** The ceiling of a command is for what runs wait for; the operator limits programs by their role. */
const longLived = ({ commandTimeoutMs, outputBytes }: Partial<SandboxLimits>): Partial<SandboxLimits> => ({
  commandTimeoutMs: commandTimeoutMs ?? (programLimits.commandTimeoutMs as number),
  outputBytes: outputBytes ?? (programLimits.outputBytes as number),
});

/** Calls back for each whole line. @throws for one that does not end, which ends the program */
function lineReader(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  let parts: Buffer[] = [];
  let held = 0;
  return (bytes) => {
    let rest = Buffer.from(bytes);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, at)]).toString('utf8');
      [parts, held, rest] = [[], 0, rest.subarray(at + 1)];
      onLine(line);
    }
    held += rest.length;
    if (held > mostLineBytes) throw new Error('a line is too long');
    if (rest.length > 0) parts.push(rest);
  };
}
