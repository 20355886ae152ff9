// soketi: a server of the Pusher protocol, published to by its HTTP API.
//
// It asks for uWebSockets.js 20.10 from GitHub, which has no binary for today's Node: it is installed with a package of
// npm's that has one, and is otherwise as published.
import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { cacheFolder, packageVersion } from '../../machine.ts';
import { type Contender, type EventData, peerEvent, type Running, upgrade } from '../contender.ts';
import { freePort, startProgram } from './program.ts';

const name = '@soketi/soketi';
const folder = cacheFolder('soketi');
const secret = 'secret';

function look() {
  try {
    if (!packageVersion(folder, name)) {
      const wanted = {
        private: true,
        dependencies: { [name]: '1.6.1' },
        overrides: { 'uWebSockets.js': 'npm:uwebsockets@3.0.6' },
      };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted));
      execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, timeout: 300_000 });
    }
  } catch (error) {
    return { missing: `npm could not install it: ${(error as Error).message.split('\n')[0]}` };
  }
  const version = packageVersion(folder, name);
  return version ? { version: `${version} on uwebsockets 3.0.6` } : { missing: 'npm did not install it' };
}

/** Path of a signed call of the Pusher API. */
function signed(path: string, body: string): string {
  const query = [
    'auth_key=key',
    `auth_timestamp=${Math.floor(Date.now() / 1000)}`,
    'auth_version=1.0',
    `body_md5=${createHash('md5').update(body).digest('hex')}`,
  ].join('&');
  const signature = createHmac('sha256', secret).update(`POST\n${path}\n${query}`).digest('hex');
  return `${path}?${query}&auth_signature=${signature}`;
}

const eventOf = (data: EventData) => ({ name: 'run.budget', channel: 'run', data: JSON.stringify(peerEvent(data)) });

async function start(): Promise<Running> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const program = await startProgram(process.execPath, ['node_modules/@soketi/soketi/bin/server.js', 'start'], {
    ports: [port],
    cwd: folder,
    environment: {
      SOKETI_HOST: '127.0.0.1',
      SOKETI_PORT: String(port),
      SOKETI_METRICS_SERVER_PORT: String(metricsPort),
      SOKETI_DEFAULT_APP_ID: 'app',
      SOKETI_DEFAULT_APP_KEY: 'key',
      SOKETI_DEFAULT_APP_SECRET: secret,
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  return {
    port,
    pids: [program.pid],
    send(events) {
      const [only] = events;
      const single = events.length === 1 && only;
      const body = JSON.stringify(single ? eventOf(only) : { batch: events.map(eventOf) });
      const path = signed(single ? '/apps/app/events' : '/apps/app/batch_events', body);
      const posted = request({ port, host: '127.0.0.1', path, method: 'POST', agent });
      posted.setHeader('content-type', 'application/json');
      posted.on('response', (response) => response.resume());
      posted.on('error', () => undefined);
      posted.end(body);
    },
    stop: async () => {
      agent.destroy();
      await program.stop();
    },
  };
}

export const soketi: Contender = {
  name: 'soketi',
  kind: 'WebSocket',
  path: '/app/key?protocol=7',
  headers: upgrade,
  frames: ['{"event":"pusher:subscribe","data":{"channel":"run"}}'],
  look,
  start,
};
