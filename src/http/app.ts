// The HTTP face of the server: pages first, then operations, which MCP clients call as tools; told once when the server
// shuts down.
import { mcpPath } from '../auth/oauth/resources.ts';
import { createA2aDoor } from './a2a/door.ts';
import type { Exchange } from './adapter.ts';
import type { Handle } from './inner-exchange.ts';
import { createMcpDoor, type McpDoor } from './mcp/door.ts';
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
  const mcp = openMcp(options, pipeline);
  const a2a = options.a2a ? createA2aDoor({ ...options, ...options.a2a }, pipeline) : null;
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
      if (mcp && exchange.path === mcpPath) return mcp.handle(exchange);
      if (a2a?.takes(exchange.path)) return a2a.handle(exchange);
      const page = options.pages?.(exchange) ?? false;
      return page ? served(exchange, page) : pipeline(exchange);
    },
    shutDown: () => {
      state.shuttingDown = true;
      mcp?.close().catch((error: unknown) => options.log.warn({ err: error }, 'MCP calls were not ended cleanly'));
    },
    get shuttingDown() {
      return state.shuttingDown;
    },
  };
}

function openMcp(options: HttpAppOptions, pipeline: Handle): McpDoor | null {
  const { mcp, clock } = options;
  if (!mcp) return null;
  return createMcpDoor({ ...options, ...mcp }, async () => {
    const [{ createCalls }, { createMcpServer }] = await Promise.all([
      import('./mcp/calls.ts'),
      import('./mcp/server.ts'),
    ]);
    return createMcpServer(createCalls(pipeline, clock), mcp);
  });
}
