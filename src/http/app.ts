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
  return {
    handle: async (exchange) => {
      try {
        if (options.pages && (await options.pages(exchange))) return;
      } catch (error) {
        options.log.error({ err: error, path: exchange.path }, 'a page could not be served');
      }
      if (!exchange.answered) await pipeline(exchange);
    },
    shutDown: () => {
      state.shuttingDown = true;
    },
    get shuttingDown() {
      return state.shuttingDown;
    },
  };
}
