// nchan as a peer: nginx with its module, fed by HTTP as it is meant to be; needs Debian's libnginx-mod-nchan.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningCase } from './cases.ts';

const module = '/usr/lib/nginx/modules/ngx_nchan_module.so';

/** True where nginx and the module are installed. */
export const hasNchan = (): boolean => existsSync(module) && existsSync('/usr/sbin/nginx');

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Starts nginx in the foreground with one worker. */
export async function startNchan(): Promise<RunningCase> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nchan-'));
  const port = await freePort();
  const settings = `
    load_module ${module};
    worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; daemon off; worker_rlimit_nofile 20000;
    events { worker_connections 12000; }
    http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; nchan_shared_memory_size 256M;
      server { listen 127.0.0.1:${port};
        location = /pub { nchan_publisher; nchan_channel_id run; nchan_message_buffer_length 100; }
        location = /sub { nchan_subscriber; nchan_channel_id run; nchan_subscriber_first_message newest; } } }`;
  writeFileSync(join(folder, 'nginx.conf'), settings);
  const child: ChildProcess = spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGTERM'));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let seq = 0;
  return {
    port,
    send(data) {
      const event = { epoch: '0a1b2c3d-1', seq: ++seq, topic: 'run:1', type: 'run.budget', atUtc: new Date(), data };
      const body = JSON.stringify(event);
      const posted = request({ port, host: '127.0.0.1', path: '/pub', method: 'POST', agent });
      posted.on('response', (response) => response.resume());
      posted.on('error', () => undefined);
      posted.end(body);
    },
    stop: () => void child.kill('SIGTERM'),
  };
}
