// Single-use tickets for sockets of browsers, so that no key is ever part of a URL.
import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../contract/caller.ts';
import type { Permission } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { TicketStore } from '../../ports/tickets.ts';

/** Limit of a ticket's lifetime in seconds. */
export const maxTicketSeconds = 30;

export interface Ticket {
  ticket: string;
  /** Milliseconds since 1970, UTC. */
  expiresAt: number;
}

export interface Redeemed {
  caller: Caller;
  /** Topics that the ticket allows, or null for all that the caller may read. */
  topics: readonly string[] | null;
}

export interface Tickets {
  /** Makes a ticket for a caller, good for `ttlSeconds` (at most and by default 30). */
  mint(caller: Caller, options?: { topics?: readonly string[] | null; ttlSeconds?: number }): Promise<Ticket>;
  /**
   * Takes a ticket in; it works once.
   *
   * @throws Fault TOKEN_EXPIRED for one that was used, has expired or never was
   */
  redeem(ticket: string): Promise<Redeemed>;
}

type Kept = Omit<Caller, 'permissions'> & { permissions: Permission[]; topics: string[] | null };

/** Tickets over a store that all nodes share. */
export function createTickets({ store, clock }: { store: TicketStore; clock: Clock }): Tickets {
  return {
    async mint(caller, { topics = null, ttlSeconds = maxTicketSeconds } = {}) {
      const ticket = `tkt_${randomBytes(24).toString('base64url')}`;
      const ttlMs = Math.min(ttlSeconds, maxTicketSeconds) * 1000;
      const restricted = topics && topics.length > 0 ? [...topics] : null;
      const kept: Kept = { ...caller, permissions: [...caller.permissions], topics: restricted };
      await store.put(nameOf(ticket), JSON.stringify(kept), ttlMs);
      return { ticket, expiresAt: clock.now() + ttlMs };
    },
    async redeem(ticket) {
      const text = await store.take(nameOf(ticket));
      if (text === null) {
        throw new Fault('TOKEN_EXPIRED', 'This ticket was used or has expired.', {
          hint: 'Get a new one with POST /api/ws/tickets; a ticket opens one connection within 30 seconds.',
        });
      }
      const { topics, permissions, ...rest } = JSON.parse(text) as Kept;
      return { caller: { ...rest, permissions: new Set(permissions) }, topics };
    },
  };
}

/** Tickets of one process. */
export function createMemoryTicketStore(clock: Clock): TicketStore {
  const held = new Map<string, { value: string; until: number }>();
  return {
    async put(name, value, ttlMs) {
      // All live equally long or less, so the oldest are first: a look at the front keeps the map small.
      for (const [known, { until }] of held) {
        if (until > clock.now()) break;
        held.delete(known);
      }
      held.set(name, { value, until: clock.now() + ttlMs });
    },
    async take(name) {
      const found = held.get(name);
      held.delete(name);
      return found && found.until > clock.now() ? found.value : null;
    },
  };
}

const nameOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url');
