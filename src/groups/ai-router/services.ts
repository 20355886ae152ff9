// All services of the AI router, and what they publish.
import type { Model } from '../../../runtime/model.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { BudgetDoc, CallDoc, ProviderDoc } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { BudgetUse, HealthReport, ModelRouter } from '../../ports/model-router.ts';
import type { Payloads, Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { aiBudgetsService, toBudgetDto } from './budgets/service.ts';
import { aiModelsService } from './models/service.ts';
import { aiPlaygroundService } from './playground/service.ts';
import { aiProvidersService } from './providers/service.ts';
import { toHealthDto } from './providers/to-dto.ts';
import { aiRoutesService } from './routes/service.ts';
import { aiSettingsService } from './settings/service.ts';
import { createAiRouterStore } from './store.ts';
import { aiUsageService } from './usage/service.ts';
import { toCallDto } from './usage/to-dto.ts';

export interface AiRouterDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  vault: Vault;
  model: Model;
  router: ModelRouter;
  identities: PerTenant<IdentityDoc>;
  units: Pick<UnitsOfTenants, 'treeOf' | 'require'>;
}

/** One service for each group of the AI router's operations. */
export function createAiRouterServices(deps: AiRouterDeps) {
  const all = { ...deps, store: createAiRouterStore(deps) };
  return {
    aiProviders: aiProvidersService(all),
    aiModels: aiModelsService(all),
    aiRoutes: aiRoutesService(all),
    aiBudgets: aiBudgetsService(all),
    aiUsage: aiUsageService(all),
    aiSettings: aiSettingsService(all),
    aiPlayground: aiPlaygroundService(all),
  };
}

/** What the gateway's ledger tells, as events of the topics `router` and `billing`; for `createRoutedModels`. */
export function publishRouterEvents({ publisher, logger }: { publisher: Publisher; logger: Logger }) {
  const publish = <Type extends keyof Payloads>(tenantId: number, topics: string[], type: Type, data: Payloads[Type]) =>
    void publisher
      .publish({ tenantId, topics, type, data })
      .catch((error) => logger.warn({ err: error, type }, 'an event of the model router could not be published'));
  return {
    onRecorded: (call: CallDoc) => publish(call.tenantId, ['router'], 'router.call', toCallDto(call, null)),
    onHealth: (provider: ProviderDoc, report: HealthReport) =>
      publish(provider.tenantId, ['router', 'system'], 'router.health', toHealthDto(provider, null, report, 15)),
    onBudget: (budget: BudgetDoc, use: BudgetUse) => {
      const type = use.state === 'Exhausted' ? 'budget.exhausted' : 'budget.warning';
      publish(budget.tenantId, ['router', 'billing'], type, toBudgetDto(budget, use, budget.scopeKey));
    },
  };
}
