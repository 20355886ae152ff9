// Debian's IMAP server on a port of the loopback with a folder of its own, for integration tests.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

const program = '/usr/sbin/dovecot';

/** Why there can be none here; null where it can be started. */
export const noDovecot = (): string | null =>
  !existsSync(program)
    ? 'dovecot-imapd is not installed'
    : process.getuid?.() !== 0
      ? 'dovecot is started by root'
      : null;

export interface Dovecot {
  port: number;
  close(): Promise<void>;
}

/** Starts it; every user has the password `secret`. */
export async function startDovecot(): Promise<Dovecot> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-dovecot-'));
  const port = await freePort();
  const mail = join(folder, 'mail');
  const uid = Number(spawnSync('id', ['-u', 'nobody']).stdout);
  await chmod(folder, 0o755);
  await mkdir(mail);
  await chown(mail, uid, uid);
  const config = join(folder, 'dovecot.conf');
  await writeFile(
    config,
    `protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
mail_location = maildir:${mail}/%u
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${uid} gid=${uid} home=${mail}/%u
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`,
  );
  const server: ChildProcess = spawn(program, ['-F', '-c', config], { stdio: 'ignore' });
  await vi.waitFor(
    async () => {
      if (!(await answers(port))) throw new Error('dovecot does not answer yet');
    },
    { timeout: 20_000, interval: 20 },
  );
  return {
    port,
    close: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('data', () => socket.destroy());
    socket.on('error', () => resolve(false));
  });
