// Authenticates a request by key, session, or ticket (streams only), and limits failed attempts by address.

import { resourceAt } from '../auth/oauth/resources.ts';
import type { Caller } from '../contract/caller.ts';
import { type AnyOperation, answersOnlyStreams } from '../contract/operation.ts';
import { authorizationOf } from '../kernel/authorization.ts';
import { type Fault, toFault } from '../kernel/fault.ts';
import type { HttpAppOptions } from './options.ts';
import type { Prepared, RequestContext } from './request-context.ts';
import { wantsStream } from './request-info.ts';

export type CallerOf = ReturnType<typeof createCallerOf>;

export function createCallerOf(options: Pick<HttpAppOptions, 'authenticate' | 'redeemTicket' | 'limits'>) {
  /** Finds out who calls; nothing is to be waited for where that is known already. */
  function identify(
    context: RequestContext,
    operation: AnyOperation,
    { readStreamQuery }: Prepared,
  ): Promise<void> | null {
    if (operation.needs === 'public' && !operation.knowsCaller) return null;
    const { exchange } = context;
    const authorization = authorizationOf((name) => exchange.header(name));
    if (authorization) {
      context.signsIn = true;
      const caller = options.authenticate(authorization, exchange.ip, exchange.resource ?? resourceAt(exchange.path));
      if (caller instanceof Promise) return admit(context, caller);
      context.caller = caller;
      return null;
    }
    // A ticket opens streams alone: what else the operation answers is not narrowed to the ticket's topics.
    if (!readStreamQuery || !(answersOnlyStreams(operation) || wantsStream(exchange))) return null;
    const { ticket } = readStreamQuery(exchange.query).stream;
    return ticket === undefined ? null : redeem(context, ticket);
  }

  async function admit(context: RequestContext, caller: Promise<Caller>): Promise<void> {
    context.caller = await caller;
  }

  async function redeem(context: RequestContext, ticket: string): Promise<void> {
    context.signsIn = true;
    const { caller, topics } = await options.redeemTicket(ticket);
    context.caller = caller;
    context.allowed = topics;
  }

  /** What a request fails with; credentials that are wrong too often fail with RATE_LIMITED instead. */
  function countedFault(context: RequestContext, error: unknown): Fault {
    const fault = toFault(error);
    if (fault.status !== 401 || !context.signsIn) return fault;
    try {
      options.limits?.failedSignIns?.take(context.exchange.ip);
      return fault;
    } catch (limited) {
      return toFault(limited);
    }
  }

  return { identify, countedFault };
}
