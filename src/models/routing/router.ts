// Puts the tenants' routing together: the gateway over their registry, and the port that the AI router's operations
// use.
import type { ModelRequest } from '../../../runtime/model.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Reach } from '../../kernel/reach.ts';
import type { Vault } from '../../kernel/vault.ts';
import { type BudgetDoc, type CallDoc, callSpec, type ProviderDoc } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { BudgetUse, Embeddings, HealthReport, ModelRouter } from '../../ports/model-router.ts';
import { noUnits, type OrgUnits } from '../../ports/org-units.ts';
import type { Quotas } from '../../ports/quotas.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import { createGateway, type Gateway, sharedKey } from '../gateway/gateway.ts';
import { createHealth } from '../gateway/health.ts';
import { openByKind } from '../gateway/open-by-kind.ts';
import type { HealthSnapshot } from '../gateway/samples.ts';
import { bundledPrices, type PriceList } from '../pricing/price-list.ts';
import { readFailure } from '../providers/failure.ts';
import { type CallPolicy, defaultPolicy, type ModelSettings } from '../providers/settings.ts';
import { createScriptedProvider } from '../scripted/provider.ts';
import type { ScenarioInput } from '../scripted/scenario.ts';
import { budgetUse } from './budgets.ts';
import { createCaps } from './caps.ts';
import { providerIdOf, providerKeyOf, toConfig, usableKeys } from './credentials.ts';
import { createRouterDirectory, type RouterDirectory } from './directory.ts';
import { createEnvironment, type Environment, standsFor } from './environment.ts';
import { knownModel } from './known-model.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { listServerModels } from './list-models.ts';
import { createProbes } from './probes.ts';
import { createRegistries, type Registries } from './registry.ts';
import { createSettingsDirectory } from './settings-directory.ts';

export interface RouterDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  logger: Logger;
  vault: Vault;
  /** What the tenant allows: models, and what a month may cost. */
  policies?: Pick<Policies, 'of' | 'ofWork'>;
  /** Says which organisation unit a call belongs to; none does unless given. */
  units?: OrgUnits;
  /** What the plans of tenants allow. */
  quotas?: Quotas;
  /** How far the addresses of a tenant's providers may lead. */
  reachOf: (tenantId: number) => Reach;
  settings: ModelSettings;
  policy?: CallPolicy;
  random?: () => number;
  /** Defaults to the list that comes with this version. */
  prices?: PriceList;
  scenarios?: Record<string, ScenarioInput>;
  onRecorded?: (call: CallDoc) => void;
  onBudget?: (budget: BudgetDoc, use: BudgetUse) => void;
  /** The circuit of a tenant's provider opened or closed. */
  onHealth?: (provider: ProviderDoc, report: HealthReport) => void;
}

export interface RoutedModels {
  /** For the engine and chat. */
  model: Gateway;
  /** For the operations of the AI router. */
  router: ModelRouter;
  /** Resolves when every ended call is in the database; for shutdown. */
  flush(): Promise<void>;
  /** Forgets recorded prompts whose time is up, and gives their number. To be called periodically. */
  forgetPrompts(): Promise<number>;
  /** Probes the providers, as often as each tenant's settings say. To be called every few seconds. */
  probe(): Promise<void>;
}

/**
 * The gateway with what tenants set up in the database, over the environment's providers.
 *
 * @example const { model, router, flush } = createRoutedModels({ db, ids, clock, logger, vault, reachOf, settings: config });
 */
export function createRoutedModels(deps: RouterDeps): RoutedModels {
  const {
    clock,
    logger,
    vault,
    reachOf,
    settings,
    random = Math.random,
    prices = bundledPrices,
    units = noUnits,
  } = deps;
  const access = { vault, reachOf };
  const registries = createRegistries(deps);
  const policy = () => deps.policy ?? defaultPolicy;
  const health = createHealth(clock, (key) => {
    const provider = registries.findProvider(providerIdOf(key));
    if (provider) deps.onHealth?.(provider, toReport(health.snapshot(key)));
  });
  const fromSettings = createSettingsDirectory(settings, listServerModels, prices);
  const caps = createCaps(deps);
  const directory = createRouterDirectory({
    units,
    caps,
    registries,
    health,
    access,
    clock,
    random,
    environment: fromSettings,
  });
  const healthOf = (key: string, tenantId: number, modelName?: string) => {
    const shared = sharedKey(key, tenantId);
    if (modelName === undefined) return toReport(health.snapshot(shared));
    return toReport(health.modelSnapshot([shared, `${shared}/${modelName}`]));
  };
  const ledger = createLedger({ ...deps, caps, registries, units });
  const scripted = createScriptedProvider({ clock, directory: settings.scenariosDir, scenarios: deps.scenarios });
  const model = createGateway({
    directory,
    open: openByKind(scripted),
    clock,
    logger,
    random,
    policy,
    health,
    onCall: ledger.record,
  });
  return {
    model,
    router: createPort({
      ...deps,
      random,
      prices,
      registries,
      directory,
      ledger,
      model,
      environment: createEnvironment({ settings, clock, healthOf }),
    }),
    flush: ledger.flush,
    forgetPrompts: () => forgetPrompts(deps),
    probe: createProbes({ registries, health, access, clock, random }),
  };
}

async function forgetPrompts({ db, clock }: RouterDeps): Promise<number> {
  const nothing = { sealedRequest: null, sealedResponse: null, promptsUntil: null };
  const due = { promptsUntil: { $gt: new Date(0), $lt: new Date(clock.now()) } };
  return (await db.collection(callSpec).updateMany(due, { $set: nothing })).modifiedCount;
}

interface PortDeps extends RouterDeps {
  random: () => number;
  prices: PriceList;
  registries: Registries;
  directory: RouterDirectory;
  ledger: Ledger;
  model: Gateway;
  environment: Environment;
}

function createPort({
  clock,
  vault,
  reachOf,
  random,
  registries,
  directory,
  ledger,
  model,
  environment,
  prices,
}: PortDeps): ModelRouter {
  const configOf = async (provider: ProviderDoc) => {
    const { keys } = await registries.of(provider.tenantId);
    const [key = null] = usableKeys(keys.get(provider._id) ?? [], clock.now(), random);
    return toConfig(provider, key, { vault, reachOf });
  };
  return {
    resolve: directory.resolve,
    health: (provider, modelName, windowMs) => {
      const key = providerKeyOf(provider);
      if (modelName === null) return toReport(model.health.snapshot(key, windowMs));
      return toReport(model.health.modelSnapshot([key, `${key}/${modelName}`], windowMs));
    },
    resetCircuit: (provider) => model.health.reset(providerKeyOf(provider)),
    async listModels(provider) {
      const config = await configOf(provider);
      try {
        return await listServerModels(config);
      } catch (error) {
        const target = { modelId: '', modelName: '', provider: config, price: null };
        throw readFailure(error, target, false, clock.now()).fault;
      }
    },
    known: (provider, modelName) => knownModel(prices, provider, modelName),
    budgetUse: (budget) => budgetUse(budget, clock.now()),
    changed: registries.changed,
    callOf: ledger.callOf,
    async embed({ inputs, dimensions, asWritten, ...who }): Promise<Embeddings> {
      const request: ModelRequest = {
        ...who,
        messages: inputs.map((content) => ({ role: 'user', content })),
        purpose: 'Embedding',
      };
      const { vectors, target, usage } = await model.embed(request, inputs, { dimensions, asWritten });
      const { promptTokens, costUsd } = usage;
      const { latencyMs } = await ledger.callOf(request);
      return {
        vectors,
        modelId: target.modelId,
        providerName: target.provider.name,
        promptTokens,
        costUsd,
        latencyMs,
      };
    },
    stands: async (tenantId, name) => standsFor(await registries.of(tenantId), environment, name, tenantId),
    supervisorRoute: async (tenantId) => (await registries.of(tenantId)).settings.supervisorRouteId,
    environment: environment.list,
  };
}

const date = (ms: number | null) => (ms === null ? null : new Date(ms));

const toReport = (snapshot: HealthSnapshot): HealthReport => ({
  healthState: snapshot.state,
  circuitState: snapshot.circuit,
  calls: snapshot.calls,
  failures: snapshot.failures,
  errorRate: snapshot.errorRate,
  latencyP50Ms: snapshot.latencyP50Ms,
  latencyP95Ms: snapshot.latencyP95Ms,
  timeToFirstTokenP50Ms: snapshot.firstTokenP50Ms,
  tokensPerSecond: snapshot.tokensPerSecond,
  inFlight: snapshot.inFlight,
  circuitOpenUntil: date(snapshot.circuitOpenUntil),
  lastError: snapshot.lastError,
  lastSuccessAt: date(snapshot.lastSuccessAt),
  lastCheckedAt: date(snapshot.lastCheckedAt),
});
