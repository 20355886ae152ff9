// Connections to MCP servers that stay open between calls, one for each user of a server, since servers keep state in them.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kernel/clock.ts';
import type { McpConnection } from './connection.ts';
import type { Definition } from './definitions.ts';

export interface McpSession {
  connection: McpConnection;
  /** The server's tools of now: read again when it has said that they changed, or some time has passed. */
  tools(signal: AbortSignal): Promise<readonly Definition[]>;
}

export interface McpSessions {
  /** The session of a key; opened unless it is there. */
  of(key: string, open: () => Promise<McpConnection>): Promise<McpSession>;
  /** Closes a session, e.g. after a failure. */
  end(key: string): void;
}

/** Milliseconds that a session may be idle, and that a list of tools holds. */
const idleMs = 300_000;
const listMs = 60_000;
const mostSessions = 200;

export function createMcpSessions({ clock }: { clock: Pick<Clock, 'steady'> }): McpSessions {
  const sessions = new LRUCache<string, Promise<McpSession>>({
    max: mostSessions,
    ttl: idleMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: (session) => void session.then(({ connection }) => connection.close()).catch(() => {}),
  });
  return {
    of: (key, open) => {
      const there = sessions.get(key);
      if (there) return there;
      const opening = open().then((connection) => sessionOf(connection, clock));
      sessions.set(key, opening);
      opening.catch(() => sessions.peek(key) === opening && sessions.delete(key));
      return opening;
    },
    end: (key) => void sessions.delete(key),
  };
}

function sessionOf(connection: McpConnection, clock: Pick<Clock, 'steady'>): McpSession {
  let list: readonly Definition[] | null = null;
  let readAt = 0;
  return {
    connection,
    tools: async (signal) => {
      if (list && !connection.changed && clock.steady() - readAt < listMs) return list;
      list = null;
      const found = await connection.tools(signal);
      readAt = clock.steady();
      list = found;
      return found;
    },
  };
}
