// Counts the connections of each key or user: of this node exactly, of the others as they tell.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';
import type { Quota } from '../hub/subscription.ts';
import { createQuota } from './quota.ts';

export interface Principals {
  /** Counts a connection; answers the caller object that all of its principal share, as permissions are large. */
  enter(caller: Caller): Caller;
  leave(caller: Caller): void;
  /** Connections of a caller's principal on all nodes. */
  count(caller: Caller): number;
  /** What a principal that is here may follow, by all its connections to this node. */
  quotaOf(caller: Caller): Quota;
  stop(): void;
}

interface Deps {
  /** Connections that a principal may have. Small shares of it are not told, as they hardly matter. */
  limit: number;
  /** Subscriptions of a principal on this node, and the different topics they follow. */
  subscriptions: number;
  topics: number;
  broker: Broker;
  nodes: Nodes;
  clock: Clock;
  nodeId: string;
}

/** Changes are told so soon, those that come together at once. */
const tellAfterMs = 100;
/** What was lost on the way is made good so often. */
const tellAllEveryMs = 10_000;
/** A node keeps numbers below this part of the limit to itself. */
const untoldShare = 100;

/** The principals of this node's connections. */
export function createPrincipals({ limit, subscriptions, topics, broker, nodes, clock, nodeId }: Deps): Principals {
  const here = new Map<string, { caller: Caller; count: number; quota: Quota }>();
  const elsewhere = new Map<string, Map<string, number>>();
  const floor = Math.max(1, Math.floor(limit / untoldShare));
  /** Names that the other nodes know a number of. */
  const told = new Set<string>();
  const news = new Set<string>();
  let stopTelling: (() => void) | null = null;

  const tell = (names: Iterable<string>, all: boolean) => {
    const counts: Record<string, number> = {};
    for (const name of names) {
      const count = here.get(name)?.count ?? 0;
      counts[name] = count < floor ? 0 : count;
      if (count < floor) told.delete(name);
      else told.add(name);
    }
    broker.signal({ kind: 'principals', nodeId, counts, all });
  };
  const tellNews = () => {
    stopTelling = null;
    tell(news, false);
    news.clear();
  };
  const changed = (name: string, count: number) => {
    if (!broker.shared || (count < floor && !told.has(name))) return;
    news.add(name);
    stopTelling ??= clock.after(tellAfterMs, tellNews);
  };
  const tellAll = () => {
    if (broker.shared && told.size > 0) tell([...told], true);
  };

  const stopSignals = broker.onSignal(({ kind, nodeId: from, counts, all }) => {
    if (kind !== 'principals' || from === nodeId) return;
    const known = (all ? null : elsewhere.get(String(from))) ?? new Map<string, number>();
    for (const [name, count] of Object.entries(counts as Record<string, number>)) {
      if (count > 0) known.set(name, count);
      else known.delete(name);
    }
    elsewhere.set(String(from), known);
  });
  const stopTellingAll = clock.every(tellAllEveryMs, () => {
    // A node that died before its first beat was heard is never said to be gone.
    const alive = new Set(nodes.others());
    for (const from of elsewhere.keys()) if (!alive.has(from)) elsewhere.delete(from);
    tellAll();
  });
  nodes.watch(({ nodeId: other, here: present }) => {
    if (present) tellAll();
    else elsewhere.delete(other);
  });

  return {
    enter: (caller) => {
      const name = principalOf(caller);
      const known = here.get(name) ?? { caller, count: 0, quota: createQuota({ subscriptions, topics }) };
      here.set(name, known);
      known.count++;
      if (!alike(known.caller, caller)) known.caller = caller;
      changed(name, known.count);
      return known.caller;
    },
    leave: (caller) => {
      const name = principalOf(caller);
      const known = here.get(name);
      if (!known) return;
      if (--known.count === 0) here.delete(name);
      changed(name, known.count);
    },
    count: (caller) => {
      const name = principalOf(caller);
      let count = here.get(name)?.count ?? 0;
      for (const counts of elsewhere.values()) count += counts.get(name) ?? 0;
      return count;
    },
    quotaOf: (caller) => here.get(principalOf(caller))?.quota ?? createQuota({ subscriptions, topics }),
    stop: () => {
      stopTelling?.();
      stopTellingAll();
      stopSignals();
    },
  };
}

const principalOf = ({ tenantId, kind, keyId, userId, identityId }: Caller): string =>
  `${tenantId}/${kind}/${keyId ?? ''}/${userId ?? ''}/${identityId ?? ''}`;

const alike = (a: Caller, b: Caller): boolean =>
  a.expiresAt === b.expiresAt &&
  a.sessionId === b.sessionId &&
  a.role === b.role &&
  a.permissions.size === b.permissions.size &&
  [...a.permissions].every((permission) => b.permissions.has(permission));
