// Egress proxy, the only way out of a sandbox with an allow list: HTTP over a socket in a directory that the sandbox
// sees.
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { askingFor, openTunnel, outboundProxy } from '../../src/kernel/outbound-proxy.ts';
import { type Decision, decide, type HostPattern, type Resolve, resolveHost } from './allow-list.ts';
import { bridgeFile, bridgeSource, socketFile } from './bridge.ts';

export interface ProxyOptions {
  allow: readonly HostPattern[];
  /** Called for every refused connection, e.g. to note it in the sandbox's output. */
  onRefused?: (reason: string) => void;
  /** True when listed hosts may have private addresses, e.g. a mirror in the operator's own network. */
  allowsPrivate?: boolean;
  resolve?: Resolve;
  /** Folder for its directory, which is made if need be. */
  parent?: string | undefined;
}

export interface EgressProxy {
  /** `proxyDirectory` of a SandboxSpec. */
  readonly directory: string;
  close(): Promise<void>;
}

const mostConnections = 64;

/** Opens the proxy of one sandbox. */
export async function openProxy(options: ProxyOptions): Promise<EgressProxy> {
  const { allow, onRefused = () => {}, resolve = resolveHost, allowsPrivate = false, parent = tmpdir() } = options;
  await mkdir(parent, { recursive: true, mode: 0o711 });
  const directory = await mkdtemp(join(parent, 'rvt-net-'));
  await chmod(directory, 0o711);
  await writeFile(join(directory, bridgeFile), bridgeSource, { mode: 0o644 });
  const judge: Judge = async (host, port, isProxied) => {
    const decision = await decide(host, port, { patterns: allow, allowsPrivate, resolve, isProxied });
    if ('refusal' in decision) onRefused(decision.refusal);
    return decision;
  };
  const server = createServer((incoming, response) => {
    forward(incoming, response, judge).catch(() => response.destroy());
  });
  server.on('connect', (incoming, socket, head) => {
    tunnel(incoming, socket, head, judge).catch(() => socket.destroy());
  });
  server.maxConnections = mostConnections;
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  });
  await listenIn(directory, server);
  await chmod(join(directory, socketFile), 0o666);
  return {
    directory,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((done) => server.close(done));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A socket's path has 107 bytes at most (sun_path), whatever that of the directory has: it is named through a link. */
async function listenIn(directory: string, server: Server): Promise<void> {
  const near = await mkdtemp(join(tmpdir(), 'rvt-net-'));
  try {
    await symlink(directory, join(near, 'to'));
    await new Promise<void>((done, failed) => {
      server.once('error', failed);
      server.listen(join(near, 'to', socketFile), done);
    });
  } finally {
    await rm(near, { recursive: true, force: true });
  }
}

type Judge = (host: string, port: number, isProxied: boolean) => Promise<Decision>;

/** Handles `CONNECT host:port`, as for https. */
async function tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer, judge: Judge): Promise<void> {
  socket.on('error', () => {});
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(incoming.url ?? '') ?? [];
  const host = bracketed ?? plain ?? '';
  const proxy = outboundProxy({ protocol: 'https:', hostname: host, port: port ?? '' });
  const decision = await judge(host, Number(port), proxy !== null);
  if ('refusal' in decision) {
    tell(socket, '403 Forbidden', decision.refusal);
    return;
  }
  const joined = (remote: Socket) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) remote.write(head);
    remote.pipe(socket);
    socket.pipe(remote);
  };
  const bound = (remote: Socket) => {
    remote.on('error', () => socket.destroy());
    remote.once('close', () => socket.destroy());
    socket.once('close', () => remote.destroy());
    if (socket.destroyed) remote.destroy();
    return remote;
  };
  if (proxy === null) {
    const remote = bound(connect({ host: decision.address, port: Number(port) }, () => joined(remote)));
    return;
  }
  await openTunnel(proxy, host, Number(port)).then(
    (remote) => joined(bound(remote)),
    ({ message }: Error) => tell(socket, '502 Bad Gateway', message),
  );
}

const tell = (socket: Duplex, status: string, text: string) =>
  socket.end(`HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}\n`);

/** Handles a request with an absolute URL, as for plain http. */
async function forward(incoming: IncomingMessage, response: ServerResponse, judge: Judge): Promise<void> {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
  if (url?.protocol !== 'http:') {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('This is a proxy: send a whole http URL.\n');
    return;
  }
  const port = Number(url.port || 80);
  const proxy = outboundProxy(url);
  const decision = await judge(url.hostname.replace(/^\[|\]$/g, ''), port, proxy !== null);
  if ('refusal' in decision) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`${decision.refusal}\n`);
    return;
  }
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = incoming.headers;
  const through = proxy && askingFor(proxy, url);
  const outgoing = (proxy?.protocol === 'https:' ? secureRequest : request)(
    {
      ...(through ?? { hostname: decision.address, port, path: `${url.pathname}${url.search}` }),
      method: incoming.method ?? 'GET',
      headers: { ...headers, host: url.host, ...through?.headers },
      agent: false,
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'content-type': 'text/plain' }).end('The host does not answer.\n');
  });
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
