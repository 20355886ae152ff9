// mosquitto: MQTT 3.1.1 over WebSocket at QoS 0, published to over plain MQTT; Debian's mosquitto.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianVersion } from '../../machine.ts';
import { type Contender, peerEvent, type Running, upgrade } from '../contender.ts';
import { freePort, startProgram } from './program.ts';

const topic = Buffer.from('run');
/** CONNECT with a clean session, no keep-alive and an id of the server's choice; SUBSCRIBE to the topic at QoS 0. */
const hello = Buffer.from('100c00044d5154540402000000', 'hex');
const connectPacket = Buffer.concat([hello, Buffer.of(0)]);
const subscribePacket = Buffer.concat([Buffer.from('820800010003', 'hex'), topic, Buffer.of(0)]);

function publishPacket(body: string): Buffer {
  const payload = Buffer.from(body);
  const length = 2 + topic.length + payload.length;
  const head = [0x30, (length % 128) | 0x80, Math.floor(length / 128), 0, topic.length];
  return Buffer.concat([Buffer.from(head), topic, payload]);
}

async function start(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-bench-mosquitto-'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const settings = `user root
persistence false
allow_anonymous true
set_tcp_nodelay true
max_queued_messages 0
listener ${port} 127.0.0.1
protocol websockets
listener ${plainPort} 127.0.0.1
`;
  await writeFile(join(folder, 'mosquitto.conf'), settings);
  const words = ['-c', join(folder, 'mosquitto.conf')];
  const program = await startProgram('/usr/sbin/mosquitto', words, { ports: [port, plainPort] });
  const publisher = connect(plainPort, '127.0.0.1').setNoDelay(true).resume();
  publisher.write(connectPacket);
  return {
    port,
    pids: [program.pid],
    send: (events) => {
      publisher.write(Buffer.concat(events.map((data) => publishPacket(JSON.stringify(peerEvent(data))))));
    },
    stop: async () => {
      publisher.destroy();
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const mosquitto: Contender = {
  name: 'mosquitto',
  kind: 'WebSocket',
  path: '/mqtt',
  headers: [...upgrade, 'Sec-WebSocket-Protocol: mqtt'],
  frames: [connectPacket, subscribePacket].map((packet) => `hex:${packet.toString('hex')}`),
  look: () => {
    const version = debianVersion('mosquitto');
    return version ? { version } : { missing: 'needs Debian’s mosquitto' };
  },
  start,
};
