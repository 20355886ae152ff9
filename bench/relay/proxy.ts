// A bare pass-through proxy on node:http: what it costs to move the bytes at all.
import { Agent, createServer, request as open } from 'node:http';
import type { AddressInfo } from 'node:net';

const provider = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const server = createServer((request, response) => {
  const { method, url, headers } = request;
  const forwarded = open({ host: '127.0.0.1', port: provider, method, path: url, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  response.on('close', () => forwarded.destroy());
  request.pipe(forwarded);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
