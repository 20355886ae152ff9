// What the whole page shares: the client, its live connection, what the server offers and who is asking.
import {
  type AuthPrincipalDto,
  type ConnectionState,
  createClient,
  type Permission,
  type SystemInfoDto,
} from '../../client/index.ts';
import { setServerTime } from '../base/clock.ts';
import { keepDraftsOf } from '../base/draft.ts';
import { createStore } from '../base/store.ts';
import { fetchEarly } from './early.ts';
import { liveRetry } from './live-retry.ts';
import { onlyScripts } from './run-figures.ts';
import { ended, endSession, getToken, refused } from './session.ts';
import { noteWritten } from './written.ts';

export const unread = createStore(0);
let unreadAsOf = 0;
/** Unless something newer was said. `asOf`: when it was asked for; news are of now. */
export function setUnread(count: number, asOf = performance.now()) {
  if (asOf < unreadAsOf) return;
  unreadAsOf = asOf;
  unread.set(count);
}
export const client = createClient({
  fetch: fetchEarly,
  getToken,
  onRefused: refused,
  onUnread: setUnread,
  onWritten: noteWritten,
});

export const connection = createStore<ConnectionState>({
  phase: 'connecting',
  since: Date.now(),
  attempt: 0,
  latencyMs: null,
  behind: null,
  transport: 'ws',
  reason: null,
});

/** The reason of what this page has closed itself. */
const closedHere = 'closed by the caller';

function openLive() {
  return client.live({
    retry: liveRetry,
    onState: (state) => {
      connection.set(state);
      // The server may have closed it because the session is over: the answer to any call tells.
      const isOver = state.phase === 'closed' && state.reason !== closedHere;
      if (isOver && !ended.get()) void client.auth.me().catch(() => undefined);
    },
  });
}

let live = openLive();
export const liveConnection = () => live;

/** A fresh connection, after signing in as somebody else. */
export function restartLive() {
  live.close();
  live = openLive();
}

window.addEventListener('online', () => live.retryNow());
document.addEventListener('visibilitychange', () => document.hidden || live.retryNow());

export interface Server {
  info: SystemInfoDto;
  principal: AuthPrincipalDto;
}

export const server = createStore<Server | null>(null);

export function may(permission: Permission): boolean {
  return server.get()?.principal.permissions.includes(permission) ?? false;
}

const idOf = ({ identity, user }: AuthPrincipalDto) => `${identity?.guid} ${user?.guid}`;

export const pauseLive = () => live.pause();

/**
 * Does what ends the session. The connection goes first: it would ask for another one with a token that holds no more. It
 * goes on where the work fails.
 */
export async function ending<R>(work: () => Promise<R>): Promise<R> {
  live.pause();
  try {
    return await work();
  } catch (error) {
    live.resume();
    throw error;
  }
}

export const signOut = () => ending(endSession);

/** Goes on after signing in again; false when it is not the same person, for whom nothing may stay. */
export async function comeBack(): Promise<boolean> {
  const before = server.get()?.principal;
  const principal = await client.auth.me().catch(() => null);
  if (!before || !principal || idOf(before) !== idOf(principal)) return false;
  server.set((now) => now && { ...now, principal });
  live.resume();
  return true;
}

/** Loads who and where we are. @throws ApiError */
export async function start() {
  const [info, principal] = await Promise.all([client.system.info(), client.auth.me()]);
  setServerTime(info.serverTimeUtc);
  keepDraftsOf(idOf(principal));
  onlyScripts.set(info.features.includes('scripted-only'));
  server.set({ info, principal });
}
