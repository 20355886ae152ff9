// What a tenant has set up — providers, keys, models, routes, budgets, settings — read from the database and kept for a moment.
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import {
  type BudgetDoc,
  budgetSpec,
  type ModelDoc,
  modelSpec,
  type ProviderDoc,
  type ProviderKeyDoc,
  providerKeySpec,
  providerSpec,
  type RouteDoc,
  type RouterSettings,
  routerSettings,
  routeSpec,
} from '../../ports/ai-router.ts';
import { checkpointRecord } from '../../ports/checkpoints.ts';
import type { Db } from '../../ports/db.ts';

export interface Registry {
  providers: Map<number, ProviderDoc>;
  /** By provider. */
  keys: Map<number, ProviderKeyDoc[]>;
  models: Map<number, ModelDoc>;
  /** By model id and by alias. */
  modelsByName: Map<string, ModelDoc>;
  routes: Map<number, RouteDoc>;
  budgets: BudgetDoc[];
  /** Names of the active checkpoints, by identity. */
  checkpoints: Map<number, string>;
  settings: RouterSettings;
}

export type Registries = ReturnType<typeof createRegistries>;

/** Milliseconds for which a registry is used as it is, and for which it is still used while it is read anew. */
const freshMs = 5_000;
const staleMs = 10_000;

/**
 * Registries by tenant. One that was used lately is still used while it is read anew, so that calls do not wait for the
 * database; one from long ago is not, since another node may have changed it. `changed` drops what is known at once.
 */
export function createRegistries({ db, clock, logger }: { db: Db; clock: Clock; logger: Logger }) {
  const known = new Map<number, { readAt: number; value: Promise<Registry>; ready: Registry | null }>();

  const load = (tenantId: number) => {
    const entry = { readAt: clock.steady(), value: readRegistry(db, tenantId), ready: null as Registry | null };
    entry.value.then(
      (registry) => {
        entry.ready = registry;
      },
      () => {
        if (known.get(tenantId) === entry) known.delete(tenantId);
      },
    );
    return entry;
  };

  return {
    async of(tenantId: number): Promise<Registry> {
      const entry = known.get(tenantId);
      const age = entry ? clock.steady() - entry.readAt : Number.POSITIVE_INFINITY;
      if (entry && age < freshMs) return entry.value;
      const next = load(tenantId);
      if (!entry?.ready || age >= staleMs) {
        known.set(tenantId, next);
        return next.value;
      }
      entry.readAt = clock.steady();
      next.value.then(
        () => {
          if (known.get(tenantId) === entry) known.set(tenantId, next);
        },
        (error) => logger.warn({ err: error, tenantId }, 'model routes could not be read anew'),
      );
      return entry.ready;
    },
    /** Registries of all tenants in memory. */
    inUse: (): Registry[] => [...known.values()].flatMap(({ ready }) => ready ?? []),
    /** What is in memory of any tenant that knows this model. */
    findModel(modelId: string): ModelDoc | null {
      for (const { ready } of known.values()) {
        const found = ready?.modelsByName.get(modelId);
        if (found) return found;
      }
      return null;
    },
    /** A provider by its id, of whatever tenant is in memory. */
    findProvider(id: number): ProviderDoc | null {
      for (const { ready } of known.values()) {
        const found = ready?.providers.get(id);
        if (found) return found;
      }
      return null;
    },
    changed(tenantId: number): void {
      known.delete(tenantId);
    },
  };
}

async function readRegistry(db: Db, tenantId: number): Promise<Registry> {
  const [providers, keys, models, routes, budgets, checkpoints, settings] = await Promise.all([
    db.collection(providerSpec).find({ tenantId }).toArray(),
    db.collection(providerKeySpec).find({ tenantId }).toArray(),
    db.collection(modelSpec).find({ tenantId }).toArray(),
    db.collection(routeSpec).find({ tenantId }).toArray(),
    db.collection(budgetSpec).find({ tenantId }).toArray(),
    db.collection(checkpointRecord.spec).find({ tenantId, status: 'Active' }).toArray(),
    db.collection(routerSettings.spec).findOne({ _id: tenantId, tenantId }),
  ]);
  const byId = <T extends { _id: number }>(docs: T[]) => new Map(docs.map((doc) => [doc._id, doc]));
  return {
    providers: byId(providers),
    keys: groupKeys(keys),
    models: byId(models),
    modelsByName: new Map(models.flatMap((model) => [model.modelId, ...model.aliases].map((name) => [name, model]))),
    routes: byId(routes),
    budgets,
    checkpoints: new Map(checkpoints.map(({ identityId, modelName }) => [identityId, modelName])),
    settings: settings ?? routerSettings.defaults,
  };
}

function groupKeys(keys: ProviderKeyDoc[]): Map<number, ProviderKeyDoc[]> {
  const groups = new Map<number, ProviderKeyDoc[]>();
  for (const key of keys) groups.set(key.providerId, [...(groups.get(key.providerId) ?? []), key]);
  return groups;
}
