// Requests on kept connections, as cheap as node:http makes them.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** Sends JSON and answers what came back as JSON; rejects at a status of 400 or more. */
export function call(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...headers, 'content-type': 'application/json' } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if ((response.statusCode ?? 500) >= 400) reject(new Error(`${method} ${url}: ${text.slice(0, 300)}`));
        else resolve(text ? JSON.parse(text) : null);
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
