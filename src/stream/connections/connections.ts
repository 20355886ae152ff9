// Register of live connections: limits, heartbeats, stalls, expiry, permission checks, presence and draining.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Hub } from '../hub/hub.ts';
import { type Authorise, Connection, type ConnectionInfo, type Link } from './connection.ts';
import type { Principals } from './principals.ts';

export interface ConnectionLimits {
  /** Limit of connections of one key or user, on all nodes together. */
  perPrincipal: number;
  subscriptionsPerConnection: number;
  /** Limits per key or user on this node: subscriptions over all its connections, and distinct topics. */
  subscriptionsPerPrincipal: number;
  topicsPerPrincipal: number;
  /** Rate limit of commands per second, and the burst allowed. */
  commandsPerSecond: number;
  commandBurst: number;
  /** Timeout in ms of a client that reads nothing. */
  stallMs: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  perPrincipal: 10_000,
  subscriptionsPerConnection: 500,
  subscriptionsPerPrincipal: 50_000,
  topicsPerPrincipal: 10_000,
  commandsPerSecond: 100,
  commandBurst: 500,
  stallMs: 30_000,
};

export const closeCodes = {
  auth: 4001,
  forbidden: 4003,
  stalled: 4008,
  reset: 4009,
  expired: 4010,
  limited: 4029,
  restart: 1012,
} as const;

/** Selection of connections to check again; all given fields must match. */
export interface PrincipalMatch {
  tenantId?: number;
  keyId?: number;
  userId?: number;
  identityId?: number;
}

export interface ConnectionsDeps {
  hub: Hub;
  clock: Clock;
  log: Logger;
  nodeId: string;
  limits: ConnectionLimits;
  principals: Principals;
  authorise: Authorise;
  /** The same principal with its present permissions. @throws Fault when it may not act any more */
  refresh: (caller: Caller) => Promise<Caller>;
  onOpened?: (connection: Connection) => void;
  onClosed?: (connection: Connection) => void;
  /** Called for an identity's first socket, and when its last one has been gone for the grace time. */
  onPresence?: (change: { tenantId: number; identityId: number; online: boolean }) => void;
}

/** Longest time in ms between the look-up of a credential and its connection. */
const admissionMs = 10_000;
/** Grace time in ms in which an agent may reconnect before it counts as gone. */
export const reconnectGraceMs = 5000;

export class Connections {
  readonly #deps: ConnectionsDeps;
  readonly #all = new Set<Connection>();
  readonly #identities = new Map<string, { count: number; online: boolean }>();
  #next = 1;
  /** Time by the steady clock. */
  #recheckedAt = Number.NEGATIVE_INFINITY;
  draining = false;

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#all.size;
  }

  get limits(): ConnectionLimits {
    return this.#deps.limits;
  }

  get nodeId(): string {
    return this.#deps.nodeId;
  }

  /** All connections of this node, oldest first. */
  list(): Iterable<Connection> {
    return this.#all;
  }

  /**
   * Registers a connection.
   *
   * @throws Fault SHUTTING_DOWN; CONCURRENCY_LIMITED when its principal has too many
   */
  open(link: Link, info: Omit<ConnectionInfo, 'id' | 'clock' | 'quota'>): Connection {
    const { hub, clock, limits, nodeId, principals } = this.#deps;
    if (this.draining) throw this.refusal();
    const caller = principals.enter(info.caller);
    if (principals.count(caller) > limits.perPrincipal) {
      principals.leave(caller);
      hub.metrics.limited++;
      throw new Fault('CONCURRENCY_LIMITED', `This principal has ${limits.perPrincipal} connections open.`, {
        hint: 'Close some; one connection can follow many topics.',
        retryAfterSeconds: 10,
      });
    }
    const id = `${nodeId}-${(this.#next++).toString(36)}`;
    const quota = principals.quotaOf(caller);
    const connection = new Connection(hub, link, { ...info, caller, quota, id, clock });
    this.#all.add(connection);
    hub.metrics.opened++;
    this.#arrive(connection);
    this.#deps.onOpened?.(connection);
    // The credential may have been accepted under rights from before the last change.
    if (clock.steady() - this.#recheckedAt < admissionMs)
      this.#recheckOne(connection, this.#deps.refresh(info.caller)).catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'a connection could not be checked again'),
      );
    return connection;
  }

  /** Fault for new clients while this node drains. */
  refusal(): Fault {
    return new Fault('SHUTTING_DOWN', 'The server is restarting.', { hint: 'Reconnect.', retryAfterSeconds: 2 });
  }

  /** Removes a connection, once; its transport has closed or is about to. */
  close(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    connection.closed = true;
    connection.viewer.close();
    this.#deps.principals.leave(connection.caller);
    this.#deps.hub.metrics.closed++;
    this.#depart(connection);
    this.#deps.onClosed?.(connection);
  }

  /** Closes a connection from the server's side. */
  end(connection: Connection, code: number, reason: string): void {
    this.close(connection);
    connection.link.close(code, reason);
  }

  /** Subscribes a connection to topics; see `Connection.follow`. */
  follow(connection: Connection, options: Parameters<Connection['follow']>[0]) {
    return connection.follow(options, this.#deps.authorise, this.#deps.limits.subscriptionsPerConnection);
  }

  /** @throws Fault when a connection's caller may not read a topic */
  authorise(connection: Connection, topic: string): Promise<void> {
    return connection.authorise(topic, this.#deps.authorise);
  }

  /** Sweep, run once a second: heartbeats, stalls, expired credentials. */
  sweep(): void {
    const { clock } = this.#deps;
    const [now, steady] = [clock.now(), clock.steady()];
    for (const connection of this.#all) {
      const { expiresAt } = connection.caller;
      const { blockedSince } = connection.viewer;
      if (expiresAt !== null && now >= expiresAt) {
        this.end(connection, closeCodes.expired, 'the token has expired');
      } else if (blockedSince > 0 && steady - blockedSince > this.#deps.limits.stallMs) {
        this.#deps.hub.metrics.stalled++;
        this.end(connection, closeCodes.stalled, 'too slow: resume from your last event');
      } else if (steady >= connection.beatAt) {
        connection.beatAt = steady + connection.heartbeatMs;
        connection.link.beat();
      }
    }
  }

  /** Checks the rights of matching connections again: closes them or drops topics. */
  async recheck(match: PrincipalMatch): Promise<void> {
    this.#recheckedAt = this.#deps.clock.steady();
    const refreshed = new Map<Caller, Promise<Caller>>();
    const checks: Promise<void>[] = [];
    for (const connection of this.#all) {
      const { caller } = connection;
      if (!matches(caller, match)) continue;
      let today = refreshed.get(caller);
      if (!today) {
        today = this.#deps.refresh(caller);
        refreshed.set(caller, today);
      }
      checks.push(this.#recheckOne(connection, today));
    }
    await Promise.all(checks);
  }

  /** Closes all connections so that clients reconnect, here or on another node, and accepts no more. */
  drain(): void {
    this.draining = true;
    for (const connection of [...this.#all]) this.end(connection, closeCodes.restart, 'restarting: reconnect');
  }

  async #recheckOne(connection: Connection, today: Promise<Caller>): Promise<void> {
    try {
      const { expiresAt } = connection.caller;
      const caller = await today;
      if (connection.closed) return;
      this.#deps.principals.leave(connection.caller);
      connection.caller = this.#deps.principals.enter({ ...caller, expiresAt: sooner(expiresAt, caller.expiresAt) });
    } catch (error) {
      const fault = toFault(error);
      if (connection.closed) return;
      // A failure of the store says nothing about the credential: the next check decides.
      if (fault.status >= 500) this.#deps.log.warn({ err: error }, 'a connection could not be checked again');
      else this.end(connection, codeOf(fault), fault.message);
      return;
    }
    for (const topic of connection.topics) {
      try {
        await this.authorise(connection, topic);
      } catch (error) {
        const fault = toFault(error);
        if (fault.status >= 500 || connection.closed) continue;
        connection.unfollow(topic);
        connection.link.dropped(topic, fault);
      }
    }
  }

  #arrive({ caller, transport }: Connection): void {
    if (caller.identityId === null || transport === 'Sse' || !this.#deps.onPresence) return;
    const { tenantId, identityId } = caller;
    const name = `${tenantId}/${identityId}`;
    const known = this.#identities.get(name) ?? { count: 0, online: false };
    this.#identities.set(name, known);
    known.count++;
    if (known.online) return;
    known.online = true;
    this.#deps.onPresence({ tenantId, identityId, online: true });
  }

  #depart({ caller, transport }: Connection): void {
    if (caller.identityId === null || transport === 'Sse') return;
    const { tenantId, identityId } = caller;
    const name = `${tenantId}/${identityId}`;
    const known = this.#identities.get(name);
    if (!known || --known.count > 0) return;
    this.#deps.clock.after(reconnectGraceMs, () => {
      if (known.count > 0 || !known.online) return;
      known.online = false;
      this.#identities.delete(name);
      this.#deps.onPresence?.({ tenantId, identityId, online: false });
    });
  }
}

/** Close code of a Fault of authentication, permission or limits. */
export function codeOf(fault: Fault): number {
  if (fault.code === 'TOKEN_EXPIRED') return closeCodes.expired;
  // A disabled account counts like a revoked key: its client must not reconnect with it.
  if (fault.status === 401 || fault.code === 'ACCOUNT_DISABLED') return closeCodes.auth;
  if (fault.status === 403) return closeCodes.forbidden;
  if (fault.status === 429) return closeCodes.limited;
  return fault.code === 'SHUTTING_DOWN' ? closeCodes.restart : closeCodes.reset;
}

/** The earlier of two times, where null means none. */
const sooner = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

function matches(caller: Caller, match: PrincipalMatch): boolean {
  return Object.entries(match).every(([field, value]) => caller[field as keyof PrincipalMatch] === value);
}
