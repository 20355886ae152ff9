// Connections to MCP servers that stay open between calls, one for each user of a server, since servers keep state in them.
import type { Clock } from '../../kernel/clock.ts';
import { createLru } from '../../kernel/lru.ts';
import type { McpConnection } from './connection.ts';
import type { Definition } from './definitions.ts';

export interface McpSession {
  connection: McpConnection;
  /** The server's tools of now: read again when it has said that they changed, or some time has passed. */
  tools(signal: AbortSignal): Promise<readonly Definition[]>;
}

export interface McpSessions {
  /** The session of a key; opened unless it is there. The signal is aborted when it is not to stay. */
  of(key: string, open: (signal: AbortSignal) => Promise<McpConnection>): Promise<McpSession>;
  /** The connection with an open call of this name, whichever session it is or was of; null where it is gone. */
  holding(call: string): McpConnection | null;
  /** Closes a session, e.g. after a failure, once its open calls that have asked something have ended. */
  end(key: string): void;
  /** Whether a session is there whose key begins so. */
  some(prefix: string): boolean;
  /** Closes those that the rule says are not to stay, at once. */
  endUnless(stays: (key: string) => boolean): void;
}

/** Milliseconds that a session may be idle, and that a list of tools holds. */
const idleMs = 300_000;
const listMs = 60_000;
const mostSessions = 200;

export function createMcpSessions({ clock }: { clock: Pick<Clock, 'steady'> }): McpSessions {
  const open = new Map<McpConnection, string>();
  const opening = new Map<AbortController, string>();
  const close = async (session: Promise<McpSession>) => {
    const { connection } = await session;
    await connection.close().finally(() => open.delete(connection));
  };
  const sessions = createLru<string, Promise<McpSession>>(mostSessions, {
    ttl: idleMs,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    dispose: (session) => void close(session).catch(() => {}),
  });
  const begin = async (key: string, connect: (signal: AbortSignal) => Promise<McpConnection>) => {
    const stop = new AbortController();
    opening.set(stop, key);
    try {
      const connection = await connect(stop.signal);
      open.set(connection, key);
      return sessionOf(connection, clock);
    } finally {
      opening.delete(stop);
    }
  };
  return {
    of: (key, connect) => {
      const there = sessions.get(key);
      if (there) return there;
      const session = begin(key, connect);
      sessions.set(key, session);
      session.catch(() => sessions.peek(key) === session && sessions.delete(key));
      return session;
    },
    holding: (call) => [...open.keys()].find((one) => one.holds(call)) ?? null,
    end: (key) => void sessions.delete(key),
    some: (prefix) => [...open.values(), ...opening.values()].some((key) => key.startsWith(prefix)),
    endUnless: (stays) => {
      for (const [stop, key] of opening) if (!stays(key)) stop.abort(new Error('the session is not to stay'));
      for (const [connection, key] of open) if (!stays(key)) void connection.close(true).catch(() => {});
      for (const key of [...sessions.keys()]) if (!stays(key)) sessions.delete(key);
    },
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
