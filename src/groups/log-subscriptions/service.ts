// Serves log subscriptions.
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { idAt } from '../../logs/ids.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { namesOf } from '../identity-names.ts';
import { kept } from '../kept.ts';
import { logSubscriptions } from './contract.ts';
import { LogSubscriptionDto } from './dto.ts';
import type { LogSubscriptionDoc } from './record.ts';
import { firstSpacing } from './spacing.ts';

export interface LogSubscriptionsDeps {
  subscriptions: Keeper<LogSubscriptionDoc>;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
  /** Called after subscriptions of a tenant have changed. */
  changed(tenantId: number): void;
}

export const logSubscriptionsService = implement(logSubscriptions, (deps: LogSubscriptionsDeps) => {
  const { subscriptions, identities, clock } = deps;

  const showAll = async (docs: readonly LogSubscriptionDoc[], { tenantId }: Caller): Promise<LogSubscriptionDto[]> => {
    const ids = docs.map(({ identityId }) => identityId);
    const names = await namesOf(identities, tenantId, ids);
    return docs.map((doc) => shown(LogSubscriptionDto, doc, { identityName: names.get(doc.identityId) ?? null }));
  };

  /** @throws Fault NOT_FOUND, VALIDATION_FAILED where nobody is named and the caller has no inbox */
  const recipient = async (caller: Caller, named: number | null | undefined): Promise<number> => {
    const identityId = named ?? caller.identityId;
    if (identityId === null)
      throw new Fault('VALIDATION_FAILED', 'It is not said whose inbox gets the lines.', {
        field: 'identityId',
        hint: 'Send identityId, one of GET /api/identities.',
      });
    return (await namedIdentity(identities, caller, identityId))._id;
  };
  const maker = ({ userId, identityId }: Caller) => ({ createdByUserId: userId, createdByIdentityId: identityId });
  const fromNow = () => ({
    cursor: idAt(clock.now()),
    sendingTo: null,
    sentAt: null,
    spacing: firstSpacing,
  });

  return kept(logSubscriptions, subscriptions, {
    show: async (doc, caller) => (await showAll([doc], caller))[0] as LogSubscriptionDto,
    showAll,
    draft: async ({ domain, minLevel, identityId, sourceHost, isActive }, caller) => ({
      ...{ domain, minLevel, sourceHost: sourceHost ?? null, isActive: isActive ?? true },
      identityId: await recipient(caller, identityId),
      ...maker(caller),
      ...fromNow(),
    }),
    replace: async ({ domain, minLevel, identityId, sourceHost, isActive }, old, caller) => ({
      ...{ domain, minLevel, sourceHost: sourceHost ?? null, isActive },
      identityId: await recipient(caller, identityId ?? old.identityId),
      ...maker(caller),
      ...(isActive && !old.isActive && fromNow()),
    }),
    expecting: ['isActive'],
    wrote: ({ tenantId }) => deps.changed(tenantId),
  });
});
