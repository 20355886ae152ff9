// The program: reads settings, starts the server, says where it is, and stops it on a signal.
import { type Config, loadConfig, secretsOf } from './config.ts';
import { ConfigError } from './environment.ts';
import { Fault } from './kernel/fault.ts';
import { requireFreeAddress } from './kernel/free-address.ts';
import { createLogTap } from './kernel/log-tap.ts';
import { createLogger, type Logger } from './kernel/logger.ts';
import { goThroughProxies, type OutboundProxies } from './kernel/outbound-proxy.ts';
import { redact } from './scrub/scrub.ts';
import type { RivuletServer } from './server.ts';
import { version } from './version.ts';
import { requireBackupSchedule } from './wiring/backup-schedule.ts';

async function main(): Promise<void> {
  const running = stopOnSignals();
  const config = loadConfig();
  goThroughProxies(config.proxies);
  await requireBackupSchedule(config.backups.schedule);
  const advised = (error: unknown) => {
    throw cannotListen(error, config) ?? error;
  };
  await requireFreeAddress(config).catch(advised);
  // What makes a start fail most often is told before this takes a second to read the server.
  const { startServer } = await import('./server.ts');
  const tap = createLogTap();
  const pretty = process.stdout.isTTY === true;
  const log = createLogger({
    ...{ level: config.logLevel, pretty, tap, secrets: secretsOf(config) },
    redact: (text) => redact(text, 'Secret'),
  });
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise was left alone'));
  const server = await startServer({ config, log, tap }).catch(advised);
  running.is(server, log);
  announce(server, config.proxies);
  await server.credentialsShown();
}

function announce({ url, transport, facts, firstBoot }: RivuletServer, proxies: OutboundProxies): void {
  const lines = [
    '',
    `  Rivulet ${version} is ready on ${url}`,
    `  transport ${transport.name} (${transport.reason}), store ${facts.store}, model ${facts.model}`,
  ];
  const through = new Set([proxies.http, proxies.https].flatMap((proxy) => proxy?.host ?? []));
  if (through.size > 0) lines.push(`  Calls to other servers go through the proxy ${[...through].join(' and ')}`);
  if (facts.model.startsWith('scripted:'))
    lines.push(
      '  No model is configured: runs play a script. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL for a real one.',
    );
  if (firstBoot) {
    lines.push('', `  Sign in once with    ${firstBoot.signInUrl}`);
    lines.push(
      firstBoot.adminKey
        ? `  Administrator's key  ${firstBoot.adminKey}   (shown only now: keep it)`
        : "  Administrator's key  as set by RIVULET_ADMIN_KEY",
    );
    lines.push(`  Mails go to          ${facts.mail}   (RIVULET_SMTP_URL sends them)`);
  } else
    lines.push(
      '',
      '  Sign in with a password or a key; npm run admin:link (rivulet admin reset) prints a new sign-in link',
    );
  console.log([...lines, ''].join('\n'));
}

/**
 * The first signal stops in order, the second at once; a start that has not come to its end yet is left where it is, as
 * the next one goes on from anywhere. Heard from the beginning on: a process that is the first of its container hears no
 * signal that it has not asked for. A terminal that is closed is such a signal, too; `nohup` leaves no terminal.
 */
function stopOnSignals(): { is(server: RivuletServer, log: Logger): void } {
  let running: { server: RivuletServer; log: Logger } | null = null;
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    if (!running) return end(signal);
    const { server, log } = running;
    log.info(`${signal}: finishing what is under way`);
    server.close().then(
      () => end(signal),
      (error: unknown) => {
        log.error({ err: error }, 'the server did not stop in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.stdout.isTTY || process.stderr.isTTY) process.on('SIGHUP', stop);
  return {
    is: (server, log) => {
      running = { server, log };
    },
  };
}

function end(signal: NodeJS.Signals): void {
  if (signal !== 'SIGHUP') process.exit(0);
  // Node would give the terminal back as it was, and aborts where that is gone.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Exit codes of a start that failed (docs/cli.md). */
const exits = { failed: 1, wrongSettings: 2 };

main().catch((error: unknown) => {
  if (error instanceof ConfigError) console.error(error.message);
  else if (isPortTaken(error)) console.error(portTaken(error));
  else if (error instanceof Fault) console.error(`${error.message}${error.hint ? `\n${error.hint}` : ''}`);
  else console.error(error);
  process.exit(error instanceof ConfigError ? exits.wrongSettings : exits.failed);
});

/** What to set otherwise where the server cannot listen as it was told to; null for other failures. */
function cannotListen(error: unknown, { host, port }: Config): ConfigError | null {
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  const isHost = (syscall === 'listen' && code === 'EADDRNOTAVAIL') || (syscall === 'getaddrinfo' && hostname === host);
  if (isHost)
    return new ConfigError(
      `RIVULET_HOST: this machine cannot listen on ${host} (${code}).\nSet it to one of its own addresses: 127.0.0.1 for this machine alone, 0.0.0.0 for all.`,
    );
  if (code === 'EACCES' && syscall === 'listen')
    return new ConfigError(`RIVULET_PORT: this user may not listen on port ${port}.\nSet it to one from 1024 on.`);
  return null;
}

function isPortTaken(error: unknown): error is NodeJS.ErrnoException & { port?: number } {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

const portTaken = ({ port }: { port?: number }) =>
  `The port ${port ?? ''} is in use: another server may be running already.\nStop it, or start this one with RIVULET_PORT set to another port.`;
