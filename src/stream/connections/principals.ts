// Connection counts per key or user: exact for this node, as published for the others.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';
import type { Quota } from '../hub/subscription.ts';
import { createQuota } from './quota.ts';
import { shareCounts } from './shared-counts.ts';

export interface Principals {
  /**
   * Counts a connection; returns the caller object that all connections of its principal share, since permissions
   * are large.
   */
  enter(caller: Caller): Caller;
  leave(caller: Caller): void;
  /** Connections of a caller's principal on all nodes. */
  count(caller: Caller): number;
  /** Quota of a principal over all its connections to this node. */
  quotaOf(caller: Caller): Quota;
  stop(): void;
}

interface Deps {
  /** Limit of connections per principal. Small shares of it are not published, as they hardly matter. */
  limit: number;
  /** Limits per principal on this node: subscriptions, and distinct topics. */
  subscriptions: number;
  topics: number;
  broker: Broker;
  nodes: Nodes;
  clock: Clock;
  nodeId: string;
}

/** Principals of this node's connections. */
export function createPrincipals({ limit, subscriptions, topics, broker, nodes, clock, nodeId }: Deps): Principals {
  const here = new Map<string, { caller: Caller; count: number; quota: Quota }>();
  const own = (name: string) => here.get(name)?.count ?? 0;
  const shared = shareCounts({ own, limit, broker, nodes, clock, nodeId });

  return {
    enter: (caller) => {
      const name = principalOf(caller);
      const known = here.get(name) ?? { caller, count: 0, quota: createQuota({ subscriptions, topics }) };
      here.set(name, known);
      known.count++;
      if (!alike(known.caller, caller)) known.caller = caller;
      shared.changed(name, known.count);
      return known.caller;
    },
    leave: (caller) => {
      const name = principalOf(caller);
      const known = here.get(name);
      if (!known) return;
      if (--known.count === 0) here.delete(name);
      shared.changed(name, known.count);
    },
    count: (caller) => {
      const name = principalOf(caller);
      return own(name) + shared.elsewhere(name);
    },
    quotaOf: (caller) => here.get(principalOf(caller))?.quota ?? createQuota({ subscriptions, topics }),
    stop: shared.stop,
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
