// A server whose only way out is Squid, as companies have it: what runs, webhooks and lists of models need goes through.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { adminKey, type ChildServer, createChildServer, freePort } from '../support/child-server.ts';
import { type FakeServer, startFakeServer } from '../support/openai-server.ts';

/** Debian keeps servers where no user's path leads. */
const path = `${process.env.PATH}:/usr/sbin`;
const helper = '/usr/lib/squid/basic_ncsa_auth';
const missing = ['squid', 'openssl'].find((name) => spawnSync(name, ['-v'], { env: { PATH: path } }).error);
if (missing) console.warn(`The outbound proxy is not tried: ${missing} is not installed.`);

/** Names that Squid knows, and nobody else. */
const names = ['provider.test', 'hooks.test'];
const password = 'p:ss w@rd';

describe.skipIf(missing !== undefined)('a server behind Squid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rivulet-squid-'));
  const file = (name: string) => join(folder, name);
  let squid: ChildProcess;
  let squidPort: number;
  let model: FakeServer;
  let secured: Server;
  let server: ChildServer;
  const hooks: string[] = [];

  const log = () => readFileSync(file('access.log'), 'utf8');
  const proxied = (secret: string) => {
    const proxy = `http://agent:${encodeURIComponent(secret)}@127.0.0.1:${squidPort}`;
    return { http_proxy: proxy, HTTPS_PROXY: proxy, NO_PROXY: '.inside.example' };
  };
  const environment = () => ({
    OPENAI_BASE_URL: `https://provider.test:${(secured.address() as AddressInfo).port}/v1`,
    ...{ OPENAI_API_KEY: 'sk-test', RIVULET_MODEL: 'openai:fake-model', NODE_EXTRA_CA_CERTS: file('ca.crt') },
  });
  const client = () => createClient({ baseUrl: server.baseUrl, token: adminKey });
  const run = async () => {
    const { id } = await client().agentRuns.create({ body: { goal: 'Say hello.', autoStart: true } });
    return client().agentRuns.wait({ params: { id }, query: { timeoutMs: 60_000 } });
  };
  const start = async (more: Record<string, string>) => {
    const started = await createChildServer({ ...environment(), ...more });
    onTestFinished(() => started.close());
    server = started;
    await server.start();
  };

  beforeAll(async () => {
    makeCertificates(folder);
    squidPort = await freePort();
    squid = await startSquid(folder, squidPort);
    model = await startFakeServer();
    model.otherwise = () => ({ text: ['Hello.'] });
    secured = createServer(keysOf(file('server')), (socket) => {
      socket.on('error', () => {});
      if (socket.servername === 'hooks.test') return answerHooks(socket, hooks);
      const inner = connect(Number(new URL(model.origin).port), '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(inner).pipe(socket);
    });
    // Both names lead to it: what a client asks for in the handshake tells them apart.
    await new Promise<void>((done) => secured.listen(0, '127.0.0.1', done));
  }, 120_000);
  afterAll(async () => {
    squid?.kill('SIGKILL');
    await model?.close();
    await new Promise((done) => (secured ? secured.close(done) : done(null)));
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds its model, lists models and delivers webhooks', async () => {
    await start(proxied(password));
    const url = `https://hooks.test:${(secured.address() as AddressInfo).port}/in`;
    await client().webhooks.create({ body: { name: 'Out', url, eventTypes: ['run.ended'] } });
    expect((await run()).status).toBe('Completed');
    await vi.waitFor(() => expect(hooks.some((said) => said.includes('"run.ended"'))).toBe(true), 30_000);
    // Whatever it says of the proxy, no password is in it.
    expect(server.output).not.toContain(encodeURIComponent(password));
    expect(server.output).not.toContain(password);
    await server.close();
    // Squid tells of a tunnel once it is closed.
    await vi.waitFor(() => expect(log()).toMatch(/CONNECT provider\.test:\d+ agent/), 30_000);
    expect(log()).toMatch(/CONNECT hooks\.test:\d+ agent/);
  }, 120_000);

  it('speaks TLS with the proxy, too', async () => {
    const front = createServer(keysOf(file('proxy')), (socket) => {
      const inner = connect(squidPort, '127.0.0.1').on('error', () => socket.destroy());
      socket.on('error', () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    const { port } = front.address() as AddressInfo;
    await start({ https_proxy: `https://agent:${encodeURIComponent(password)}@localhost:${port}` });
    expect((await run()).status).toBe('Completed');
    await server.close();
    await new Promise((done) => front.close(done));
  }, 120_000);

  it('says in the run what the proxy refuses', async () => {
    await start(proxied('another'));
    const failed = await run();
    expect(failed.status).toBe('Failed');
    expect(JSON.stringify(failed)).toMatch(/The proxy 127\.0\.0\.1:\d+ wants a name and a password/);
    await server.close();
  }, 120_000);
});

/** A CA, and certificates of it for the names behind the proxy and for the proxy. */
function makeCertificates(cwd: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...curve, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca');
  for (const [of, hosts] of Object.entries({ server: names, proxy: ['localhost'] })) {
    openssl('req', ...curve, '-keyout', `${of}.key`, '-out', `${of}.csr`, '-subj', `/CN=${of}`);
    writeFileSync(join(cwd, 'names'), `subjectAltName=${hosts.map((name) => `DNS:${name}`).join()}`);
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${of}.csr`, ...signed, '-out', `${of}.crt`);
  }
}

const keysOf = (path: string) => ({ cert: readFileSync(`${path}.crt`), key: readFileSync(`${path}.key`) });

async function startSquid(folder: string, port: number): Promise<ChildProcess> {
  // Squid drops root's rights, and writes as another user.
  chmodSync(folder, 0o777);
  const file = (name: string) => join(folder, name);
  writeFileSync(file('hosts'), names.map((name) => `127.0.0.1 ${name}\n`).join(''));
  const hashed = execFileSync('openssl', ['passwd', '-apr1', password], { encoding: 'utf8' });
  writeFileSync(file('users'), `agent:${hashed}`);
  writeFileSync(
    file('squid.conf'),
    `http_port 127.0.0.1:${port}
hosts_file ${file('hosts')}
auth_param basic program ${helper} ${file('users')}
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all
access_log stdio:${file('access.log')}
cache_log ${file('cache.log')}
pid_filename ${file('pid')}
coredump_dir ${folder}
netdb_filename none
`,
  );
  const started = spawn('squid', ['-N', '-f', file('squid.conf')], { env: { PATH: path }, stdio: 'ignore' });
  const ended = once(started, 'exit').then(([code]) => {
    throw new Error(`squid ended with ${code}:\n${readFileSync(file('cache.log'), 'utf8')}`);
  });
  ended.catch(() => undefined);
  const answers = () =>
    new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
      socket.once('connect', () => socket.destroy());
    });
  await Promise.race([ended, vi.waitFor(async () => expect(await answers()).toBe(true), 30_000)]);
  return started;
}

/** Keeps what webhooks bring. */
function answerHooks(socket: NodeJS.ReadWriteStream, heard: string[]): void {
  let said = '';
  socket.on('data', (chunk: Buffer) => {
    said += chunk;
    const [head = '', body] = said.split('\r\n\r\n');
    if (body === undefined || Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
    heard.push(body);
    said = '';
    socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  });
}
