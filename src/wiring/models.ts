// Opens the model gateway: the environment's providers, and what tenants set up in the database.
import type { Config } from '../config.ts';
import { publishRouterEvents } from '../groups/ai-router/services.ts';
import { createKeptResponses } from '../groups/chat-completions/kept-responses.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Reach } from '../kernel/reach.ts';
import { createRounds } from '../kernel/rounds.ts';
import { createVault } from '../kernel/vault.ts';
import { openPrices } from '../models/pricing/price-file.ts';
import { createRoutedModels } from '../models/routing/router.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import type { Publisher } from '../ports/stream.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import type { Storage } from './storage.ts';

interface Deps {
  config: Config;
  /** The tenant of those who run the server. */
  operatorTenantId: number;
  storage: Storage;
  policies: Policies;
  publisher: Publisher;
  /** Tells other nodes whose settings of models have changed; null where there are none. */
  signals: RouterSignals | null;
  clock: Clock;
  log: Logger;
}

interface RouterSignals {
  send(changed: RouterChange): void;
  listen(handler: (changed: RouterChange) => void): () => void;
}

/** A write to what a tenant has set up of models, as nodes tell each other of it. */
export interface RouterChange {
  tenantId: number;
}

/** Interval in ms of the sweep of expired prompts and responses. */
const forgetEveryMs = 3_600_000;
/** Interval in ms at which due probes of providers are made. */
const probeEveryMs = 5_000;

/** Closing writes what the ledger still holds. */
export function openModels({
  config,
  operatorTenantId,
  storage: { db, ids, quotas, units },
  policies,
  publisher,
  signals,
  clock,
  log: all,
}: Deps) {
  const log = all.child({ domain: 'AiRouter' });
  const vault = createVault({ ...config });
  const routed = createRoutedModels({
    db,
    ids,
    clock,
    logger: log,
    vault,
    policies,
    quotas,
    units,
    reachOf: reachOf(config, operatorTenantId, policies),
    settings: config,
    prices: openPrices(config.dataDir),
    ...publishRouterEvents({ publisher, logger: log }),
  });
  const stopListening = signals?.listen(({ tenantId }) => routed.router.changed(tenantId));
  const router: ModelRouter = {
    ...routed.router,
    changed: (tenantId) => {
      routed.router.changed(tenantId);
      signals?.send({ tenantId });
    },
  };
  const keptResponses = createKeptResponses({ db, ids, vault, clock });
  const rounds = createRounds({ clock, log });
  const forget = () => Promise.all([routed.forgetPrompts(), keptResponses.sweep()]);
  rounds.start({ name: 'old prompts and responses', everyMs: forgetEveryMs, work: forget });
  rounds.start({ name: 'the providers', everyMs: probeEveryMs, work: () => routed.probe() });
  return {
    model: routed.model,
    router,
    vault,
    keptResponses,
    async close() {
      stopListening?.();
      await rounds.close();
      await routed.flush();
    },
  };
}
/**
 * Private networks are the operator's: other tenants' providers reach them only where the settings say so, and nobody's
 * where the tenant's own policy forbids it.
 */
export const reachOf = ({ privateProviders }: Config, operatorTenantId: number, policies: Pick<Policies, 'last'>) =>
  reachBy(privateProviders, operatorTenantId, policies);

/** The same by another setting. */
export const reachBy =
  (whose: Config['privateProviders'], operatorTenantId: number, policies: Pick<Policies, 'last'>) =>
  (tenantId: number): Reach =>
    policies.last(tenantId).allowPrivateNetworkTargets &&
    (whose === 'all' || (whose === 'operator' && tenantId === operatorTenantId))
      ? 'private'
      : 'public';

export type OpenModels = Omit<ReturnType<typeof openModels>, 'close'>;
