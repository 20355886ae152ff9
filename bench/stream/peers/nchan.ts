// nchan: nginx with its module, published to by HTTP as it is meant to be; Debian's libnginx-mod-nchan.
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianVersion } from '../../machine.ts';
import { childrenOf } from '../../process-cost.ts';
import { acceptEvents, type Contender, peerEvent, type Running, upgrade } from '../contender.ts';
import { freePort, startProgram } from './program.ts';

const module = '/usr/lib/nginx/modules/ngx_nchan_module.so';
const nginx = '/usr/sbin/nginx';

const settings = (folder: string, port: number) => `
  load_module ${module};
  worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; daemon off; worker_rlimit_nofile 20000;
  events { worker_connections 12000; }
  http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${folder}; proxy_temp_path ${folder};
    fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; nchan_shared_memory_size 256M;
    server { listen 127.0.0.1:${port};
      location = /pub { nchan_publisher; nchan_channel_id run; nchan_message_buffer_length 300; }
      location = /sub { nchan_subscriber; nchan_channel_id run; nchan_subscriber_first_message newest; } } }`;

async function start(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-nchan-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), settings(folder, port));
  const program = await startProgram(nginx, ['-c', join(folder, 'nginx.conf')], { ports: [port] });
  // One connection with pipelined requests: nothing that publishes by HTTP asks less of a server.
  const publisher = connect(port, '127.0.0.1').setNoDelay(true).resume();
  return {
    port,
    pids: [program.pid, ...childrenOf(program.pid)],
    send(events) {
      const requests = events.map((data) => {
        const body = JSON.stringify(peerEvent(data));
        return `POST /pub HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      });
      publisher.write(requests.join(''));
    },
    stop: async () => {
      publisher.destroy();
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const look = () => {
  const version = debianVersion('libnginx-mod-nchan');
  return version && existsSync(module) ? { version } : { missing: 'needs Debian’s libnginx-mod-nchan' };
};

export const nchan: readonly Contender[] = [
  { name: 'nchan', kind: 'WebSocket', path: '/sub', headers: upgrade, look, start },
  { name: 'nchan', kind: 'SSE', path: '/sub', headers: [acceptEvents], look, start },
];
