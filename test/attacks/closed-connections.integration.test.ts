// Clients that ask for their connection to be closed leave nothing behind in the process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const program = join(import.meta.dirname, '../support/closing-server.ts');
const request = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
/** Connections of one round. */
const many = 4000;

async function ask(port: number): Promise<void> {
  const one = async () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request)).resume();
    await once(socket, 'close');
  };
  for (let sent = 0; sent < many; sent += 20) await Promise.all(Array.from({ length: 20 }, one));
}

test('connections that the server closes take no memory once they are closed', async () => {
  const server = fork(program, [], { execArgv: ['--import', 'tsx', '--expose-gc'] });
  const next = async () => (await once(server, 'message'))[0] as number;
  try {
    const port = await next();
    const taken = async () => {
      const answer = next();
      server.send('taken');
      return answer;
    };
    // What the process takes first is its own.
    await ask(port);
    await ask(port);
    const grown: number[] = [];
    for (let round = 0; round < 3; round++) {
      const before = await taken();
      await ask(port);
      grown.push(((await taken()) - before) / many);
    }
    // A leak shows in each round: it was 460 bytes a connection.
    expect(Math.min(...grown)).toBeLessThan(250);
  } finally {
    server.disconnect();
  }
});
