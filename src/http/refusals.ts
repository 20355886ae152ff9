// Answers that carry nothing out: failures in the operation's own words, and what may be asked of an address.
import { openAiFailure } from '../contract/openai-failure.ts';
import { Fault } from '../kernel/fault.ts';
import { gravityOf } from '../kernel/gravity.ts';
import { sendFault } from './answer.ts';
import type { Audits } from './audited.ts';
import type { HttpAppOptions } from './options.ts';
import type { Prepared, RequestContext } from './request-context.ts';
import type { Respond } from './respond.ts';
import type { Router } from './router.ts';

export function createRefusals(
  options: HttpAppOptions,
  router: Pick<Router<Prepared>, 'methods'>,
  audits: Audits,
  { unread }: Pick<Respond, 'unread'>,
) {
  async function fail(context: RequestContext, fault: Fault): Promise<void> {
    const own = failureOf(context)?.(fault, context.requestId) ?? null;
    context.status = own?.status ?? fault.status;
    context.code = fault.code;
    const gravity = gravityOf(fault);
    if (gravity) {
      const { caller } = context;
      const who = caller && { tenant: caller.tenantId, identityId: caller.identityId, userId: caller.userId };
      const facts = { requestId: context.requestId, route: context.match?.route.id, code: fault.code, ...who };
      // A request that was aborted by its client is no error of the server.
      if (context.exchange.signal.aborted) options.log.debug({ ...facts, err: fault.cause ?? fault }, 'client left');
      else options.log[gravity]({ ...facts, err: fault.cause ?? fault }, fault.message);
    }
    await audits.failed(context, fault);
    if (context.exchange.answered) return;
    const count = await unread(context.caller);
    if (context.exchange.answered) return;
    if (fault.code === 'METHOD_NOT_ALLOWED')
      context.headers = [...context.headers, ['allow', allowOf(context.exchange.path)]];
    return sendFault(context.exchange, context, fault, { unreadMessages: count, own });
  }

  function preflight(context: RequestContext): void {
    const { exchange } = context;
    const methods = router.methods(exchange.path);
    if (methods.length === 0) throw new Fault('ROUTE_NOT_FOUND', 'There is no operation here.', { hint: 'See /docs.' });
    context.status = 204;
    const allow = allowOf(exchange.path);
    const known = context.headers.some(([name]) => name === 'access-control-allow-origin');
    const cors = known ? ([['access-control-allow-methods', allow]] as const) : [];
    exchange.send(204, [['allow', allow], ...context.headers, ...cors], '');
  }

  function allowOf(path: string): string {
    const methods = router.methods(path);
    return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  }

  return { fail, preflight };
}

/** How the operation tells of failures; where there is none below OpenAI's address, its clients are told in their words. */
const failureOf = ({ match, exchange }: RequestContext) =>
  match ? match.route.operation.failure : exchange.path.startsWith('/v1/') ? openAiFailure : undefined;
