// The HTTP face of the server: pages first, then operations; told once when the server shuts down.
import type { Exchange } from './adapter.ts';
import type { HttpAppOptions } from './options.ts';
import { createPipeline } from './pipeline.ts';

export interface HttpApp {
  /** For the adapter. Never rejects. */
  handle(exchange: Exchange): Promise<void>;
  /** From now on operations are refused with SHUTTING_DOWN. */
  shutDown(): void;
  readonly shuttingDown: boolean;
}

export function createHttpApp(options: HttpAppOptions): HttpApp {
  const state = { shuttingDown: false };
  const pipeline = createPipeline(options, state);
  const served = async (exchange: Exchange, page: true | Promise<true>) => {
    try {
      await page;
    } catch (error) {
      options.log.error({ err: error, path: exchange.path }, 'a page could not be served');
      if (!exchange.answered) await pipeline(exchange);
    }
  };
  return {
    handle: (exchange) => {
      const page = options.pages?.(exchange) ?? false;
      return page ? served(exchange, page) : pipeline(exchange);
    },
    shutDown: () => {
      state.shuttingDown = true;
    },
    get shuttingDown() {
      return state.shuttingDown;
    },
  };
}
