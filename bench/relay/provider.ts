// A provider of endless answers, in a process of its own: every token says when it was sent.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Milliseconds between two tokens of one answer. */
const tokenMs = 50;

/** Answers by the millisecond of their beat, so that tokens are spread evenly. */
const beats: Set<ServerResponse>[] = Array.from({ length: tokenMs }, () => new Set());
let next = 0;

const chunk = (delta: string) =>
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"endless","choices":[{"index":0,"delta":${delta},"finish_reason":null}]}\n\n`;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', (): void => {
    if (request.method === 'GET') return void response.end('{"object":"list","data":[{"id":"endless"}]}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('{"role":"assistant","content":""}'));
    const beat = beats[next++ % tokenMs] as Set<ServerResponse>;
    beat.add(response);
    response.on('close', () => beat.delete(response));
  });
});

let at = performance.now();
const tick = () => {
  // What a late timer left out is caught up, so that the pace stays.
  for (const now = performance.now(); at < now; at++) {
    for (const response of beats[Math.floor(at) % tokenMs] ?? [])
      response.write(chunk(`{"content":"${process.hrtime.bigint()} "}`));
  }
  setTimeout(tick, 1);
};

server.listen(0, '127.0.0.1', () => {
  tick();
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
