// Bridge inside a sandbox with an allow list: it offers the proxy's socket on a local port and runs the command.

export const bridgeFile = 'bridge.mjs';
export const socketFile = 'proxy.sock';
/** Mount point of the proxy's directory in a sandbox. */
export const proxyMount = '/run/rivulet';
const port = 3128;

/** Arguments that run a command with the bridge. */
export function bridged(node: string, argv: string[]): string[] {
  return [node, `${proxyMount}/${bridgeFile}`, ...argv];
}

/** Source of the bridge for Node 18 or newer: it forwards connections and ends with the command. */
export const bridgeSource = `
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const proxy = 'http://127.0.0.1:${port}';
const server = createServer((socket) => {
  const remote = connect('${proxyMount}/${socketFile}');
  for (const [one, other] of [[socket, remote], [remote, socket]]) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
  socket.pipe(remote).pipe(socket);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
const run = () => {
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'npm_config_proxy', 'npm_config_https_proxy'];
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: '1' };
  const [program, ...args] = process.argv.slice(2);
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.on('error', (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
};
// A second command of the same container finds the port taken by an equal bridge.
server.once('error', run);
server.listen(${port}, '127.0.0.1', run);
`;
