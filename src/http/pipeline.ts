// The path of every request: route, authenticate, permit, validate, carry out, answer, log.
import { permit } from '../auth/permit.ts';
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { addressBlock } from '../kernel/addresses.ts';
import { Fault, toFault } from '../kernel/fault.ts';
import { createAccessLog } from './access-log.ts';
import type { Exchange } from './adapter.ts';
import { createAtOnce } from './at-once.ts';
import { createAudits } from './audited.ts';
import { createCallerOf } from './caller-of.ts';
import { createCarryOut } from './carry-out.ts';
import type { HttpAppOptions } from './options.ts';
import { pathOf } from './probes.ts';
import { createRefusals } from './refusals.ts';
import { contextOf, prepare, type RequestContext } from './request-context.ts';
import { createRespond } from './respond.ts';
import { createRouter } from './router.ts';

/** A caller whom not every project is open to: finders see whether what they find is to be changed. */
const inProjects = (caller: Caller | null, { method }: Pick<AnyOperation, 'method'>): Caller | null =>
  caller?.projects && method !== 'GET' ? { ...caller, projects: { ...caller.projects, changing: true } } : caller;

/** Sign-ins that one address may have under way; people behind one address rarely have more. */
const mostSignInsAtOnce = 8;

/** Answers requests; the adapters call it. Never rejects. */
export function createPipeline(options: HttpAppOptions, state: { shuttingDown: boolean }) {
  const router = createRouter(options.services, prepare);
  const report = createAccessLog(options);
  const signInsAtOnce = createAtOnce(mostSignInsAtOnce);
  const audits = createAudits(options);
  const callers = createCallerOf(options);
  const responses = createRespond(options);
  const carryOut = createCarryOut(options, audits, responses);
  const { fail, preflight } = createRefusals(options, router, audits, responses);

  return async (exchange: Exchange): Promise<void> => {
    const context = contextOf(exchange, options.corsOrigins);
    try {
      await pass(context);
    } catch (error) {
      await fail(context, callers.countedFault(context, error));
    }
    context.leave?.();
    report(context);
  };

  async function pass(context: RequestContext): Promise<void> {
    const { exchange } = context;
    if (exchange.method === 'OPTIONS') return preflight(context);
    const match = router.find(exchange.method === 'HEAD' ? 'GET' : exchange.method, pathOf(exchange));
    context.match = match;
    const { operation, id } = match.route;
    if (state.shuttingDown && !options.alwaysOpen?.has(id))
      throw new Fault('SHUTTING_DOWN', 'This server is shutting down.', {
        hint: 'Try again in a moment.',
        retryAfterSeconds: 2,
      });
    if (operation.signsIn) {
      options.limits?.failedSignIns?.check(exchange.ip);
      context.leave = signInsAtOnce(addressBlock(exchange.ip));
      context.signsIn = true;
    }
    const identified = callers.identify(context, operation, match.route.extra);
    if (identified) await identified;
    permit(operation, context.caller, match.params);
    options.closed?.({ id, operation, caller: context.caller });
    const caller = inProjects(context.caller, operation);
    context.caller = caller;
    const callerName = caller && `${caller.tenantId} ${caller.keyId ?? caller.sessionId}`;
    options.limits?.perCaller?.take(callerName ?? addressBlock(exchange.ip));
    if (callerName && !operation.unmetered) options.limits?.ofTenant?.take(callerName);
    const span = options.trace?.({
      route: match.route.template,
      method: operation.method,
      requestId: context.requestId,
      header: (name) => exchange.header(name),
    });
    try {
      await (span ? span.within(() => carryOut(context, match)) : carryOut(context, match));
      span?.end(context.status);
    } catch (error) {
      span?.end(toFault(error).status, error);
      throw error;
    }
  }
}
