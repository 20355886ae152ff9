// The AI router's collections as one tenant sees them, and what its services share: finding, inserting, checking names.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import {
  budgetSpec,
  callSpec,
  modelSpec,
  providerKeySpec,
  providerSpec,
  routerSettingsSpec,
  routeSpec,
} from '../../ports/ai-router.ts';
import type { CollectionSpec, Db } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import { type PerTenant, perTenant, type Tenanted } from '../../ports/tenanted.ts';

interface Kept extends Tenanted {
  _id: number;
  guid: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoreDeps {
  db: Db;
  ids: Ids;
  clock: Clock;
  router: ModelRouter;
}

export type AiRouterStore = ReturnType<typeof createAiRouterStore>;

/** Collections of the AI router. Every write tells the gateway, so that the next call knows of it. */
export function createAiRouterStore({ db, ids, clock, router }: StoreDeps) {
  const collection = <T extends Kept>(spec: CollectionSpec<T>, what: string, list: string) => {
    const of: PerTenant<T> = perTenant(db.collection(spec));
    return {
      of,
      /** @throws Fault NOT_FOUND */
      async get(tenantId: number, id: number): Promise<T> {
        const found = await of(tenantId).findOne({ _id: id } as never);
        if (found) return found;
        throw new Fault('NOT_FOUND', `There is no ${what} ${id}.`, { hint: `List them with GET ${list}.` });
      },
      /** @throws Fault DUPLICATE */
      async insert(tenantId: number, fields: Omit<T, keyof Kept>): Promise<T> {
        const now = new Date(clock.now());
        const kept = { _id: await ids.next(spec.name), guid: randomUUID(), tenantId, createdAt: now, updatedAt: now };
        const doc = { ...fields, ...kept } as unknown as T;
        await of(tenantId).insertOne(doc);
        router.changed(tenantId);
        return doc;
      },
      /** @throws Fault NOT_FOUND, DUPLICATE */
      async change(tenantId: number, id: number, fields: Partial<Omit<T, keyof Kept>>): Promise<T> {
        const $set = { ...fields, updatedAt: new Date(clock.now()) };
        const options = { returnDocument: 'after' } as const;
        const changed = await of(tenantId).findOneAndUpdate({ _id: id } as never, { $set } as never, options);
        router.changed(tenantId);
        return changed ?? this.get(tenantId, id);
      },
      async remove(tenantId: number, filter: Partial<T>): Promise<void> {
        await of(tenantId).deleteMany(filter as never);
        router.changed(tenantId);
      },
    };
  };
  return {
    providers: collection(providerSpec, 'model provider', '/api/ai-router/providers'),
    keys: collection(providerKeySpec, 'provider key', '/api/ai-router/providers/{providerId}/keys'),
    models: collection(modelSpec, 'model', '/api/ai-router/models'),
    routes: collection(routeSpec, 'route', '/api/ai-router/routes'),
    budgets: collection(budgetSpec, 'budget', '/api/ai-router/budgets'),
    calls: perTenant(db.collection(callSpec)),
    settings: perTenant(db.collection(routerSettingsSpec)),
  };
}

/** Says which name is taken instead of which index was hit. */
export function nameTaken(error: unknown, what: string, name: string): unknown {
  if (!(error instanceof Fault) || error.code !== 'DUPLICATE') return error;
  return new Fault('DUPLICATE', `There is already a ${what} named "${name}".`, {
    hint: 'Choose another name.',
    cause: error,
  });
}
