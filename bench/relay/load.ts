// Reads many answers at once, in a process of its own, and how old each token is when it comes.
import { Agent, type ClientRequest, request as open } from 'node:http';
import { quantile } from '../report.ts';

export interface Load {
  port: number;
  key: string | null;
  streams: number;
  /** Milliseconds from when all answers have begun. */
  warmMs: number;
  measureMs: number;
}

export interface Seen {
  tokens: number;
  p50Ms: number;
  p99Ms: number;
  failures: number;
}

const body = JSON.stringify({
  model: 'openai:endless',
  messages: [{ role: 'user', content: 'Go on.' }],
  stream: true,
});

function read({ port, key, streams, warmMs, measureMs }: Load): void {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const ages: number[] = [];
  const requests: ClientRequest[] = [];
  let measuring = false;
  let over = false;
  let failures = 0;
  let begun = 0;
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  for (let i = 0; i < streams; i++) {
    const fail = () => {
      if (over) return;
      failures++;
      // An answer that never began would be waited for.
      if (!measuring) process.exit(1);
    };
    const request = open({ host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', headers, agent });
    request.on('response', (response) => {
      if (response.statusCode !== 200) fail();
      // Opening so many calls takes a while of its own.
      response.once('data', () => {
        if (++begun === streams) setTimeout(measure, warmMs);
      });
      response.on('data', (bytes: Buffer) => {
        if (!measuring) return;
        const now = process.hrtime.bigint();
        for (const [, sent] of bytes.toString('latin1').matchAll(/"content":"(\d+) /g))
          ages.push(Number(now - BigInt(sent as string)) / 1e6);
      });
      response.on('close', fail);
    });
    request.on('error', fail);
    request.end(body);
    requests.push(request);
  }
  const measure = () => {
    measuring = true;
    process.send?.('measuring');
    setTimeout(() => {
      measuring = false;
      over = true;
      const [p50Ms, p99Ms] = [quantile(ages, 0.5), quantile(ages, 0.99)];
      process.send?.({ tokens: ages.length, p50Ms, p99Ms, failures } satisfies Seen);
      for (const request of requests) request.destroy();
    }, measureMs);
  };
}

process.on('message', (load) => read(load as Load));
process.on('disconnect', () => process.exit());
process.send?.('ready');
