// A model server for tests: real HTTP, four wires, every misbehaviour on request, and counts of what reached it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeAnswer, frames, type Wire } from './model-wires.ts';

export type { FakeAnswer, FakeToolCall, FakeUsage } from './model-wires.ts';

/** What one request is answered with. */
export interface FakeReply extends FakeAnswer {
  /** An error status instead of an answer. */
  status?: number;
  headers?: Record<string, string>;
  /** Body of an error; JSON in the provider's shape unless given. */
  body?: string;
  /** Raw frames instead of those of the answer, e.g. `data: {broken\n\n`. */
  rawFrames?: string[];
  /** Breaks the connection after this many frames; 0 before the headers. */
  cutAfter?: number;
  /** Sends nothing more after this many frames, until the client leaves or `release` is called. */
  stallAfter?: number;
  /** Ends the body properly after this many frames, as if the answer were whole. */
  endAfter?: number;
  /** Writes the body in pieces of this many bytes, through the middle of characters. */
  splitBytes?: number;
  /** Waits this long between frames. */
  frameDelayMs?: number;
  /** Says nothing before this resolves. */
  after?: Promise<void>;
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any;
}

export interface FakeServer {
  /** `http://127.0.0.1:PORT`. */
  origin: string;
  /** Base URL for OpenAI-compatible clients, `…/v1`. */
  baseUrl: string;
  /** Requests for answers, in order of arrival. */
  requests: SeenRequest[];
  /** Bodies of requests for embeddings. */
  embedded: SeenRequest['body'][];
  /** Requests being answered now, and the most there were at once. */
  open: number;
  maxOpen: number;
  /** Requests whose client left before the end. */
  aborted: number;
  /** Answers the next requests, in order; when there are none left, `otherwise`. */
  reply(...replies: FakeReply[]): void;
  otherwise: (request: SeenRequest) => FakeReply;
  /** Names that `GET /v1/models` lists, with this status, and how often it was asked. */
  models: string[];
  listStatus: number;
  listings: number;
  /** Resolves when `count` requests have arrived. */
  arrived(count: number): Promise<void>;
  /** Resolves when `count` clients have left early. */
  left(count: number): Promise<void>;
  /** Lets stalled answers go on. */
  release(): void;
  close(): Promise<void>;
}

/** The environment of a server that calls it. */
export const environmentOf = ({ baseUrl }: FakeServer, modelId = 'openai:gpt-4o-mini') => ({
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: 'sk-test',
  RIVULET_MODEL: modelId,
});

/** Starts the server on a free port of the loopback interface. */
export async function startFakeServer(): Promise<FakeServer> {
  const queue: FakeReply[] = [];
  const waiters = new Set<() => void>();
  const stalled = new Set<() => void>();
  const changed = () => {
    for (const waiter of [...waiters]) waiter();
  };
  const until = (met: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!met()) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
    });

  const http = createServer((request, response) => {
    void handle(request, response).catch((error) => response.destroy(error));
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    if (request.method === 'GET' && path.endsWith('/models')) {
      fake.listings++;
      return json(response, fake.listStatus, {
        object: 'list',
        data: fake.models.map((id) => ({ id, object: 'model' })),
      });
    }
    const seen = await read(request);
    if (path.endsWith('/embeddings')) {
      fake.embedded.push(seen.body);
      return json(response, 200, embeddings(seen.body));
    }
    fake.requests.push(seen);
    fake.open++;
    fake.maxOpen = Math.max(fake.maxOpen, fake.open);
    response.on('close', () => {
      fake.open--;
      if (!response.writableEnded) fake.aborted++;
      changed();
    });
    changed();
    await answer(response, wireOf(path), queue.shift() ?? fake.otherwise(seen), stalled);
  };

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const fake: FakeServer = {
    origin,
    baseUrl: `${origin}/v1`,
    requests: [],
    embedded: [],
    open: 0,
    maxOpen: 0,
    aborted: 0,
    reply: (...replies) => void queue.push(...replies),
    otherwise: () => ({ text: ['Hello', ' world'] }),
    models: ['fake-model'],
    listStatus: 200,
    listings: 0,
    arrived: (count) => until(() => fake.requests.length >= count),
    left: (count) => until(() => fake.aborted >= count),
    release: () => {
      for (const go of stalled) go();
      stalled.clear();
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return fake;
}

async function answer(response: ServerResponse, wire: Wire, reply: FakeReply, stalled: Set<() => void>): Promise<void> {
  await reply.after;
  if (reply.cutAfter === 0) return void response.destroy();
  if (reply.status) return sendError(response, reply);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  const all = reply.rawFrames ?? frames(wire, reply);
  const shown = all.slice(0, reply.endAfter ?? all.length);
  if (reply.splitBytes) {
    const bytes = Buffer.from(shown.join(''));
    for (let at = 0; at < bytes.length; at += reply.splitBytes)
      await write(response, bytes.subarray(at, at + reply.splitBytes));
    return void response.end();
  }
  for (const [index, frame] of shown.entries()) {
    if (response.destroyed) return;
    if (index === reply.cutAfter) return void setImmediate(() => response.destroy());
    if (index === reply.stallAfter) {
      response.flushHeaders();
      await new Promise<void>((resolve) => stalled.add(resolve));
    }
    await write(response, frame);
    if (reply.frameDelayMs) await new Promise((resolve) => setTimeout(resolve, reply.frameDelayMs));
  }
  response.end();
}

/** Each write leaves in a segment of its own, so that the client sees the pieces apart. */
const write = (response: ServerResponse, chunk: string | Uint8Array) =>
  new Promise<void>((resolve) => {
    if (response.destroyed) return resolve();
    const done = () => {
      response.off('close', done);
      resolve();
    };
    response.once('close', done);
    response.write(chunk, () => setImmediate(done));
  });

function sendError(response: ServerResponse, { status = 500, headers, body }: FakeReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body ?? JSON.stringify({ error: { message: `fake error ${status}`, type: 'fake_error', code: null } }));
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { method: request.method ?? '', path: request.url ?? '', headers, body: text ? JSON.parse(text) : null };
}

function wireOf(path: string): Wire {
  if (path.includes('/chat/completions')) return 'chat';
  if (path.includes('/responses')) return 'responses';
  if (path.includes('/messages')) return 'anthropic';
  return 'google';
}

/** Vectors that depend on the words alone: equal texts are equal, texts that share words are near. */
function embeddings({ input, dimensions = 64 }: { input: string | string[]; dimensions?: number }) {
  const texts = Array.isArray(input) ? input : [input];
  return {
    object: 'list',
    model: 'fake-embedding',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: embed(text, dimensions) })),
    usage: { prompt_tokens: texts.join(' ').split(/\s+/).length, total_tokens: texts.join(' ').split(/\s+/).length },
  };
}

function embed(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7;
    for (const letter of word) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
