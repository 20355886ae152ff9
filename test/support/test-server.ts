// The whole server in this process, on a folder and port of its own, for end-to-end tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../src/client/index.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { LogTap } from '../../src/kernel/log-tap.ts';
import { type Logger, silentLogger } from '../../src/kernel/logger.ts';
import { type RivuletServer, startServer } from '../../src/server.ts';
import { wrongPayload, wrongTopic } from '../../src/stream/brokers/checked-publisher.ts';
import { putEmptyStore } from './empty-store.ts';
import { hastyClock } from './hasty-clock.ts';

export const adminKey = 'rvt_test-server-administrator-key-0123456789';
export { transports } from './transports.ts';

export interface TestServer extends RivuletServer {
  key: string;
  config: Config;
  client: Client;
  /** A request with the administrator's key; the parsed envelope and the status. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Stops it, and starts it again on the same folder (and another port unless one was given). */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  body: any;
  headers: Headers;
}

/**
 * Starts a server whose store does not wait for the disk; answers and events are checked against their schemas. `close` stops it and removes its folder, and
 * rejects when an event was not of its schema. With `logged` its lines are kept as those of a real one are. Unless it is
 * given another clock it is hasty: who waits for its rounds would wait for most of the test.
 */
export async function startTestServer(
  environment: Record<string, string> = {},
  logged: { log: Logger; tap: LogTap } | null = null,
  clock: Clock = hastyClock,
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rivulet-e2e-'));
  if (!environment.RIVULET_DATA && !environment.MONGODB_URI) await putEmptyStore(folder);
  const config = loadConfig({
    RIVULET_DATA: folder,
    RIVULET_PORT: '0',
    RIVULET_ADMIN_KEY: adminKey,
    RIVULET_SANDBOX: 'off',
    RIVULET_CHECK_RESPONSES: '1',
    ...environment,
  });
  const wrong: unknown[] = [];
  const lines = logged ?? { log: noting(wrong) };
  let server = await startServer({ config, clock, durable: false, ...lines });
  const clientOf = () => createClient({ baseUrl: server.url, token: adminKey });
  const testServer = {
    config,
    key: adminKey,
    client: clientOf(),
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      request(server.url, method, path, body, { authorization: `Bearer ${adminKey}`, ...headers }),
    restart: async (meanwhile = async () => {}) => {
      await server.close();
      await meanwhile();
      server = await startServer({ config, clock, durable: false, ...lines });
      testServer.client = clientOf();
    },
    close: async () => {
      await server.close();
      for (const made of [folder, config.backups.folder]) await rm(made, { recursive: true, force: true });
      if (wrong.length > 0) throw new Error(`an event is not as it is declared: ${JSON.stringify(wrong[0])}`);
    },
    get url() {
      return server.url;
    },
    get port() {
      return server.port;
    },
    get transport() {
      return server.transport;
    },
    get firstBoot() {
      return server.firstBoot;
    },
    get facts() {
      return server.facts;
    },
    get publisher() {
      return server.publisher;
    },
    credentialsShown: () => server.credentialsShown(),
  };
  return testServer;
}

/** One request; a body that is no text and no form is sent as JSON. */
export async function request(
  baseUrl: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const sent = body === undefined || typeof body === 'string' || isForm ? body : JSON.stringify(body);
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...(sent === undefined || isForm ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const answer = await response.text();
  return { status: response.status, body: parsed(answer), headers: response.headers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A silent logger that notes events that were not of their schema. */
function noting(wrong: unknown[]): Logger {
  const log = Object.create(silentLogger) as Logger;
  const error = (facts: unknown, message?: string) =>
    void ([wrongPayload, wrongTopic].includes(message ?? '') && wrong.push(facts));
  return Object.assign(log, { error, child: () => log });
}
