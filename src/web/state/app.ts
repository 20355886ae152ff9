// What the whole page shares: the client, its live connection, what the server offers and who is asking.
import {
  ApiError,
  type AuthPrincipalDto,
  type ConnectionState,
  createClient,
  type Permission,
  type SystemInfoDto,
} from '../../client/index.ts';
import { setServerTime } from '../base/clock.ts';
import { createStore } from '../base/store.ts';
import { forget, getToken } from './session.ts';

export const unread = createStore(0);
export const client = createClient({ getToken, onUnread: (count) => unread.set(count) });

export const connection = createStore<ConnectionState>({
  phase: 'connecting',
  since: Date.now(),
  attempt: 0,
  latencyMs: null,
  behind: null,
  transport: 'ws',
  reason: null,
});

let live = client.live({ onState: (state) => connection.set(state) });
export const liveConnection = () => live;

/** A fresh connection, after signing in as somebody else. */
export function restartLive() {
  live.close();
  live = client.live({ onState: (state) => connection.set(state) });
}

window.addEventListener('online', () => live.retryNow());
document.addEventListener('visibilitychange', () => document.hidden || live.retryNow());

export interface Server {
  info: SystemInfoDto;
  principal: AuthPrincipalDto;
  /** `GET /api/agent/runs/{id}` */
  operations: ReadonlySet<string>;
}

export const server = createStore<Server | null>(null);

/** The operations that this server has, from its OpenAPI document; kept while the same process answers. */
async function loadOperations(info: SystemInfoDto): Promise<Set<string>> {
  const cacheKey = 'rivulet.operations';
  const stamp = `${info.version} ${info.commit} ${info.startedAtUtc}`;
  try {
    const kept = JSON.parse(sessionStorage.getItem(cacheKey) ?? '{}') as { stamp?: string; operations?: string[] };
    if (kept.stamp === stamp && kept.operations) return new Set(kept.operations);
  } catch {
    // A broken cache is as good as none.
  }
  const response = await client.fetch({ method: 'GET', path: '/openapi/v1.json' });
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${normal(path)}`),
  );
  sessionStorage.setItem(cacheKey, JSON.stringify({ stamp, operations }));
  return new Set(operations);
}

/** Parameter names do not matter. */
const normal = (path: string) => path.replace(/\{\w+\}/g, '{}');

/** True when the server offers the operation, given as `GET /api/agent/runs/{id}`. */
export function serves(route: string): boolean {
  return server.get()?.operations.has(normal(route)) ?? false;
}

export function may(permission: Permission): boolean {
  return server.get()?.principal.permissions.includes(permission) ?? false;
}

/** Loads who and where we are. @throws ApiError; one of 401 also signs out */
export async function start() {
  try {
    const [info, principal] = await Promise.all([client.system.info(), client.auth.me()]);
    setServerTime(info.serverTimeUtc);
    server.set({ info, principal, operations: await loadOperations(info) });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) forget();
    throw error;
  }
}
