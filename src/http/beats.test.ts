import { expect, it } from 'vitest';
import type { Clock } from '../kernel/clock.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import type { Exchange } from './adapter.ts';
import { sendFile } from './answer.ts';
import { callInside } from './inner-exchange.ts';
import { sendResponse } from './web-exchange.ts';

const context = { requestId: 'request-1', headers: [], withoutBody: false };
const event = Buffer.from('data: 1\n\n');

/** What a client hears in the first minute of an answer that waits after its first chunk, and after its end. */
async function heard(answer: (exchange: Exchange, body: AsyncIterable<Buffer>, clock: Clock) => Promise<void>) {
  const clock = new SimulatedClock();
  const said: string[] = [];
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* body() {
    yield event;
    await waits;
    yield event;
  }
  const inner = callInside((exchange) => answer(exchange, body(), clock), {
    ...{ method: 'GET', path: '/', headers: {}, ip: '127.0.0.1', signal: new AbortController().signal },
    onChunk: (text) => said.push(text),
  });
  await expect.poll(() => said.length).toBe(1);
  await clock.advance(60_000);
  goOn();
  await inner;
  await clock.advance(60_000);
  return said;
}

const file = (mediaType: string) => (exchange: Exchange, body: AsyncIterable<Buffer>, clock: Clock) =>
  sendFile(exchange, context, { kind: 'file', mediaType, body }, clock);

const stays = ['data: 1\n\n', ': ping\n', ': ping\n', ': ping\n', ': ping\n', 'data: 1\n\n'];

it('an event stream that a handler makes says something every 15 s until it ends', async () => {
  expect(await heard(file('text/event-stream; charset=utf-8'))).toEqual(stays);
});

it('so does one of a protocol library', async () => {
  const send = (exchange: Exchange, body: AsyncIterable<Buffer>, clock: Clock) => {
    const headers = { 'content-type': 'text/event-stream' };
    const response = new Response(ReadableStream.from(body) as ReadableStream<Uint8Array>, { headers });
    return sendResponse(exchange, response, { clock });
  };
  expect(await heard(send)).toEqual(stays);
});

it('nothing is written into a file', async () => {
  expect(await heard(file('text/plain'))).toEqual(['data: 1\n\n', 'data: 1\n\n']);
});
