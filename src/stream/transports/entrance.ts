// Admission of a socket or event stream: by header, token or single-use ticket.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Redeemed, Tickets } from './tickets.ts';

export interface Credentials {
  /** Value of the `Authorization` header. */
  authorization?: string | undefined;
  /** A bare key or access token. */
  token?: string | null;
  ticket?: string | null;
  ip: string;
}

/** Authentication port of streams. */
export interface StreamAuth {
  /** @throws Fault */
  authenticate(authorization: string, ip: string): Caller | Promise<Caller>;
  /** @throws Fault */
  fromToken(token: string, ip: string): Promise<Caller>;
  /** The same principal with its present permissions. @throws Fault */
  refresh(caller: Caller): Promise<Caller>;
}

/**
 * Returns the caller, and the topics that its ticket allows.
 *
 * @throws Fault UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED, ACCOUNT_DISABLED
 */
export async function admit(auth: StreamAuth, tickets: Tickets, credentials: Credentials): Promise<Redeemed> {
  const { authorization, token, ticket, ip } = credentials;
  if (ticket) {
    const { caller, topics } = await tickets.redeem(ticket);
    return { caller: { ...(await auth.refresh(caller)), expiresAt: caller.expiresAt }, topics };
  }
  if (authorization) return { caller: await auth.authenticate(authorization, ip), topics: null };
  if (token) return { caller: await auth.fromToken(token, ip), topics: null };
  throw new Fault('UNAUTHENTICATED', 'This connection carries no credentials.', {
    hint: 'Send "Authorization: Bearer <key>", or open it with ?ticket= from POST /api/ws/tickets.',
  });
}
