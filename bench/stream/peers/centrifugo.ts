// Centrifugo with its history and recovery on, published to by its HTTP API; installed by Go from source.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import { cacheFolder, firstLine } from '../../machine.ts';
import { acceptEvents, type Contender, peerEvent, type Running, upgrade } from '../contender.ts';
import { freePort, startProgram } from './program.ts';

const source = 'github.com/centrifugal/centrifugo/v6@latest';
const program = join(cacheFolder('centrifugo'), 'centrifugo');
const secret = 'secret';

function look() {
  try {
    if (!existsSync(program)) {
      const env = { ...process.env, GOBIN: cacheFolder('centrifugo') };
      execFileSync('go', ['install', source], { env, timeout: 600_000, stdio: ['ignore', 'ignore', 'pipe'] });
    }
  } catch (error) {
    const lines = (error as Error).message.split('\n').filter(Boolean);
    return { missing: `\`go install ${source}\` failed: ${lines.at(-1)?.trim()}` };
  }
  return { version: firstLine(program, 'version') ?? 'unknown' };
}

async function start(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-centrifugo-'));
  const port = await freePort();
  const history = { history_size: 300, history_ttl: '300s', force_recovery: true };
  const settings = {
    http_server: { address: '127.0.0.1', port: String(port) },
    client: { insecure: true, allowed_origins: ['*'], token: { hmac_secret_key: secret } },
    http_api: { insecure: true },
    uni_sse: { enabled: true },
    channel: { without_namespace: { ...history, allow_subscribe_for_client: true } },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(settings));
  const running = await startProgram(program, ['-c', join(folder, 'config.json')], { ports: [port] });
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  return {
    port,
    pids: [running.pid],
    send(events) {
      const commands = events.map((data) => ({ publish: { channel: 'run', data: peerEvent(data) } }));
      const posted = request({ port, host: '127.0.0.1', path: '/api/batch', method: 'POST', agent });
      posted.setHeader('content-type', 'application/json');
      posted.on('response', (response) => response.resume());
      posted.on('error', () => undefined);
      posted.end(JSON.stringify({ commands }));
    },
    stop: async () => {
      agent.destroy();
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Subscribes on the server's side, as an event stream cannot ask. */
const token = jwt.sign({ sub: 'bench', channels: ['run'] }, secret);
const connectBy = encodeURIComponent(JSON.stringify({ token }));
const peer = { name: 'Centrifugo', look, start };

export const centrifugo: readonly Contender[] = [
  {
    ...peer,
    kind: 'WebSocket',
    path: '/connection/websocket',
    headers: upgrade,
    frames: ['{"id":1,"connect":{}}', '{"id":2,"subscribe":{"channel":"run"}}'],
  },
  { ...peer, kind: 'SSE', path: `/connection/uni_sse?cf_connect=${connectBy}`, headers: [acceptEvents] },
];
