// Reverse proxies with TLS, each a process of its own on the loopback, configured as docs/proxy.md says.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { connect } from 'node:tls';
import { vi } from 'vitest';
import { freePort } from './child-server.ts';

export const proxyKinds = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

const docs = resolve(import.meta.dirname, '../../docs/proxy.md');
const host = 'rivulet.example.com';
/** Where the clients of tests come from: any address of the loopback that is not the proxy's own. */
export const clientIp = '127.0.0.9';

/** Debian keeps servers where no user's path leads. */
const path = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/** Why a proxy cannot be tried here; null where it can. */
export function noProxy(kind: ProxyKind): string | null {
  for (const [program, option] of [
    ['openssl', 'version'],
    [kind, kind === 'caddy' ? 'version' : '-v'],
  ] as const)
    if (spawnSync(program, [option], { env: { PATH: path } }).error) return `${program} is not installed`;
  return null;
}

/** The blocks of a language in docs/proxy.md: for one server, and what is otherwise for several. */
function blocks(language: string): [one: string, several: string] {
  const [one, several, ...more] = [
    ...readFileSync(docs, 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')),
  ].map(([, text]) => text as string);
  if (one === undefined || several === undefined || more.length > 0)
    throw new Error(`docs/proxy.md has not two blocks of ${language}.`);
  return [one, several];
}

/** Puts other words in the place of those that stand in the docs, which must be there. */
function withWords(text: string, words: readonly (readonly [written: string, here: string])[]): string {
  let result = text;
  for (const [written, here] of words) {
    if (!result.includes(written)) throw new Error(`docs/proxy.md does not say "${written}" any more.`);
    result = result.replaceAll(written, here);
  }
  return result;
}

interface Place {
  folder: string;
  port: number;
  /** Ports of the servers, one or two. */
  servers: readonly number[];
}

const upstreams = ([one, two]: readonly number[]): [string, string][] => [
  ['127.0.0.1:7717', `127.0.0.1:${one}`],
  ...(two === undefined ? [] : [['127.0.0.1:7718', `127.0.0.1:${two}`] as [string, string]]),
];

/** Each proxy's configuration and command; what is not in the docs keeps it within its folder and off other ports. */
const programs: Record<ProxyKind, (place: Place) => { config: string; command: string[] }> = {
  nginx: ({ folder, port, servers }) => {
    const [one, several] = blocks('nginx');
    const said =
      servers.length === 1 ? one : `${several}${withWords(one, [['http://127.0.0.1:7717', 'http://rivulet']])}`;
    const site = withWords(said, [
      ...upstreams(servers),
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['/etc/ssl/rivulet.crt', `${folder}/crt`],
      ['/etc/ssl/rivulet.key', `${folder}/key`],
    ]);
    const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const places = kept.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    // Where root starts it, its workers would be nobody, who may not write into the folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    return {
      config: `${user} daemon off; worker_processes 1; pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off; ${places}\n${site}}\n`,
      command: ['nginx', '-e', join(folder, 'errors'), '-c', join(folder, 'config')],
    };
  },
  haproxy: ({ folder, port, servers }) => {
    const [one, several] = blocks('haproxy');
    const said = servers.length === 1 ? one : one.slice(0, one.indexOf('\nbackend rivulet')) + several;
    const words = [
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/rivulet.pem', `${folder}/pem`],
    ] as const;
    return {
      config: withWords(said, [...upstreams(servers), ...words]),
      command: ['haproxy', '-f', join(folder, 'config')],
    };
  },
  caddy: ({ folder, port, servers }) => {
    const [one, several] = blocks('caddyfile');
    const site = withWords(servers.length === 1 ? one : several, [
      ...upstreams(servers),
      [`${host} {`, `https://${host}:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/crt ${folder}/key`],
    ]);
    return {
      config: `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`,
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'config')],
    };
  },
};

export interface ReverseProxy {
  url: string;
  /** Options of a TLS connection to it, from the address of clients. */
  tls: { host: string; port: number; ca: string; servername: string; localAddress: string };
  /** As the global one, through the proxy. */
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export async function startProxy(kind: ProxyKind, servers: readonly number[]): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), `rivulet-${kind}-`));
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync('openssl', ['req', '-x509', ...curve, ...names, '-keyout', `${folder}/key`, '-out', `${folder}/crt`], {
    stdio: 'ignore',
  });
  const ca = readFileSync(`${folder}/crt`, 'utf8');
  writeFileSync(join(folder, 'pem'), readFileSync(`${folder}/key`, 'utf8') + ca);
  const port = await freePort();
  const { config, command } = programs[kind]({ folder, port, servers });
  writeFileSync(join(folder, 'config'), config);
  mkdirSync(join(folder, 'home'));
  const output = openSync(join(folder, 'output'), 'w');
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    env: { PATH: path, HOME: join(folder, 'home'), XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  closeSync(output);
  const tls = { host: '127.0.0.1', port, ca, servername: host, localAddress: clientIp };
  await vi.waitFor(() => reached(child, tls, join(folder, 'output')), { timeout: 20_000, interval: 20 });
  return {
    url: `https://${host}:${port}`,
    ...{ tls, fetch: fetchOver(tls) },
    close: async () => {
      const gone = new Promise((done) => child.once('exit', done));
      // Only its master ends the workers of nginx; Caddy would wait for who is still connected.
      child.kill(kind === 'nginx' ? 'SIGTERM' : 'SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function reached(child: ChildProcess, tls: ReverseProxy['tls'], output: string): Promise<void> {
  if (child.exitCode !== null) throw new Error(`It ended at once: ${readFileSync(output, 'utf8')}`);
  return new Promise((done, failed) => {
    const socket = connect(tls, () => {
      socket.destroy();
      done();
    }).once('error', failed);
  });
}

/** `fetch` for https addresses whatever name they have: Node's own knows neither the certificate nor the name. */
const fetchOver =
  (tls: ReverseProxy['tls']): typeof globalThis.fetch =>
  async (address, init) => {
    // What a body of any kind, as a form with files, is on the wire.
    const asked = new Request(address, init);
    const { pathname, search, host: name } = new URL(asked.url);
    const body = asked.body ? Buffer.from(await asked.arrayBuffer()) : null;
    const headers = { ...Object.fromEntries(asked.headers), host: name };
    const { signal, method } = asked;
    const answer = await new Promise<IncomingMessage>((done, failed) => {
      request({ ...tls, agent: false, method, path: pathname + search, headers, signal }, done)
        .once('error', failed)
        .end(body);
    });
    const { statusCode: status = 0, headers: given } = answer;
    const known = Object.entries(given).map(([key, value]) => [key, String(value)] as [string, string]);
    const text = status === 204 ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
    return new Response(text, { status, headers: known });
  };
