// Keepers of what the AI router has: providers with their keys, models, routes and budgets.
import type { Clock } from '../../kernel/clock.ts';
import {
  budgetRecord,
  callSpec,
  modelRecord,
  providerKeyRecord,
  providerRecord,
  routeRecord,
  routerSettings,
} from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { type By, createKeeper } from '../../ports/keeper.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import type { KeptDoc, RecordOf } from '../../ports/record.ts';
import { createSettings } from '../../ports/settings.ts';
import { perTenant } from '../../ports/tenanted.ts';

export interface StoreDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  router: ModelRouter;
}

export type AiRouterStore = ReturnType<typeof createAiRouterStore>;

/** Every write tells the gateway, so that the next call knows of it. */
export function createAiRouterStore({ db, ids, clock, router }: StoreDeps) {
  const told = ({ by }: { by: By }) => router.changed(by.tenantId);
  const keeper = <Doc extends KeptDoc>(record: RecordOf<Doc>) => createKeeper(record, { db, ids, clock, told });
  return {
    providers: keeper(providerRecord),
    keys: keeper(providerKeyRecord),
    models: keeper(modelRecord),
    routes: keeper(routeRecord),
    budgets: keeper(budgetRecord),
    calls: perTenant(db.collection(callSpec)),
    settings: createSettings(routerSettings, { db, clock, told }),
  };
}
