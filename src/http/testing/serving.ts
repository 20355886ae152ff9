// Bare servers of either adapter, closed after each test.
import { afterEach } from 'vitest';
import type { Fault } from '../../kernel/fault.ts';
import type { Exchange, HttpServer, HttpServerOptions } from '../adapter.ts';
import { nodeAdapter } from '../adapters/node/server.ts';
import { uwsAdapter } from '../adapters/uws/server.ts';

const adapters = { uws: uwsAdapter, node: nodeAdapter };

export const plain = [['content-type', 'text/plain']] as const;

/** Answers with what `answer` gives, and faults with their status and code. */
export const answering =
  (answer: (exchange: Exchange) => Promise<string | Uint8Array> | string) => async (exchange: Exchange) => {
    try {
      exchange.send(200, plain, await answer(exchange));
    } catch (error) {
      const fault = error as Fault;
      exchange.send(fault.status ?? 500, plain, fault.code ?? String(error));
    }
  };

/** A function that starts servers of an adapter. */
export function serving(name: keyof typeof adapters) {
  const servers: HttpServer[] = [];
  const serve = async (options: Partial<HttpServerOptions> & Pick<HttpServerOptions, 'handle'>) => {
    const server = await adapters[name]({ host: '127.0.0.1', port: 0, ...options });
    servers.push(server);
    return { server, url: `http://127.0.0.1:${server.port}` };
  };
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return serve;
}
