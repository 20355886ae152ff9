// A forward proxy, as companies have: it takes whole URLs and CONNECT, and finds each name at a port of this machine.
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ForwardProxy {
  url: string;
  /** What it was asked for: `GET http://host/path` or `CONNECT host:port`. */
  readonly asked: string[];
  /** Whether it answers; while not, it lets who asks wait. */
  answers: boolean;
  /** What it answers instead of passing anything on. */
  refusesWith: number | null;
  /** What the other side of a tunnel says before it is asked, in one piece with the proxy's own answer. */
  greeting: string;
  close(): Promise<void>;
}

/** `ports` by `host:port`; the proxy knows no other. `credentials` as `name:password`, where it wants some. */
export async function startForwardProxy(ports: Record<string, number>, credentials?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const wanted = credentials && `Basic ${Buffer.from(decodeURIComponent(credentials)).toString('base64')}`;
  const statusFor = (authority: string, given: string | undefined) => {
    if (wanted && given !== wanted) return 407;
    return proxy.refusesWith ?? (authority in ports ? 200 : 502);
  };
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    if (!proxy.answers) return;
    const url = new URL(incoming.url as string);
    const authority = `${url.hostname}:${url.port || 80}`;
    const { 'proxy-authorization': given, ...headers } = incoming.headers;
    const status = statusFor(authority, given);
    if (status !== 200) return void response.writeHead(status).end('the proxy refuses');
    const options = { host: '127.0.0.1', port: ports[authority], method: incoming.method, headers };
    const outgoing = request({ ...options, path: url.pathname + url.search } as object, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => {});
    if (!proxy.answers) return;
    const authority = incoming.url as string;
    const status = statusFor(authority, incoming.headers['proxy-authorization']);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const remote = connect(ports[authority] as number, '127.0.0.1', () => {
      socket.write(`HTTP/1.1 200 Connection established\r\n\r\n${proxy.greeting}`);
      socket.pipe(remote).pipe(socket);
    });
    remote.on('error', () => socket.destroy());
    socket.once('close', () => remote.destroy());
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: ForwardProxy = {
    url: `http://${credentials ? `${credentials}@` : ''}127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers: true,
    refusesWith: null,
    greeting: '',
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
