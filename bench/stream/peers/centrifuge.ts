// A small server of the Go library centrifuge, with its history and recovery on, told of events by HTTP.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { cacheFolder } from '../../machine.ts';
import { acceptEvents, type Contender, peerEvent, type Running, upgrade } from '../contender.ts';
import { freePort, startProgram } from './program.ts';

const source = join(import.meta.dirname, 'centrifuge');
const version = /centrifugal\/centrifuge v(\S+)/.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? 'unknown';
const program = join(cacheFolder('centrifuge'), `server-${version}`);

function look() {
  try {
    if (!existsSync(program))
      execFileSync('go', ['build', '-o', program, '.'], {
        cwd: source,
        timeout: 600_000,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
  } catch (error) {
    const lines = (error as Error).message.split('\n').filter(Boolean);
    return { missing: `\`go build\` failed: ${lines.at(-1)?.trim()}` };
  }
  return { version };
}

async function start(): Promise<Running> {
  const port = await freePort();
  const running = await startProgram(program, [String(port)], { ports: [port] });
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  return {
    port,
    pids: [running.pid],
    send(events) {
      const posted = request({ port, host: '127.0.0.1', path: '/publish', method: 'POST', agent });
      posted.setHeader('content-type', 'application/json');
      posted.on('response', (response) => response.resume());
      posted.on('error', () => undefined);
      posted.end(JSON.stringify(events.map(peerEvent)));
    },
    stop: async () => {
      agent.destroy();
      await running.stop();
    },
  };
}

const connectBy = encodeURIComponent('{"id":1,"connect":{}}');
const peer = { name: 'centrifuge', look, start };

export const centrifuge: readonly Contender[] = [
  {
    ...peer,
    kind: 'WebSocket',
    path: '/websocket',
    headers: upgrade,
    frames: ['{"id":1,"connect":{}}', '{"id":2,"subscribe":{"channel":"run"}}'],
  },
  { ...peer, kind: 'SSE', path: `/sse?cf_connect=${connectBy}`, headers: [acceptEvents] },
];
