// Counts the connections of each key or user: of this node exactly, of the others as they tell.
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Broker } from '../brokers/broker.ts';
import type { Nodes } from '../brokers/nodes.ts';
import type { Quota } from '../hub/subscription.ts';
import { createQuota } from './quota.ts';
import { shareCounts } from './shared-counts.ts';

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

/** The principals of this node's connections. */
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
