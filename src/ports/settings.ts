// Keeps settings: one document an owner, with defaults for what was never set.
import type { Clock } from '../kernel/clock.ts';
import { noteWrite } from './audit.ts';
import { type CollectionName, type CollectionSpec, collectionSpec, type Db, type Times } from './db.ts';
import type { By, Change } from './keeper.ts';
import { perTenant, type Tenanted } from './tenanted.ts';

interface Owned extends Tenanted {
  /** The owner's id. */
  _id: number;
  updatedAt: Date;
}
export type SettingsDoc<Fields> = Owned & Fields;

/** Declared settings; `createSettings` keeps their documents. */
export interface SettingsOf<Fields extends object> {
  noun: string;
  defaults: Readonly<Fields>;
  readonly spec: CollectionSpec<SettingsDoc<Fields>>;
}

/** @example export const memoryConfigs = settingsRecord('identity_memory_configs', { noun: 'memory configuration', defaults }) */
export function settingsRecord<Fields extends object>(
  collection: CollectionName,
  about: { noun: string; defaults: Readonly<Fields> } & Times<Fields>,
): SettingsOf<Fields> {
  return { ...about, spec: collectionSpec<SettingsDoc<Fields>>({ name: collection }) };
}

/** Settings as they hold: `updatedAt` is null as long as they are the defaults. */
export type Current<Fields> = Fields & { updatedAt: Date | null };

export interface Settings<Fields extends object> {
  /** As they were set, with today's defaults for what was not. */
  get(by: By, ownerId: number): Promise<Current<Fields>>;
  /** Replaces all of them; what is left out goes back to its default. */
  replace(by: By, ownerId: number, fields: Partial<Fields>): Promise<Current<Fields>>;
  /** Back to the defaults; for owners that are removed. */
  remove(by: By, ownerId: number): Promise<void>;
}

interface Deps<Fields> {
  db: Db;
  clock: Clock;
  /** Told of each write after it was made, before its caller is answered. */
  told?: (change: Change<SettingsDoc<Fields>>) => void | Promise<void>;
}

/** @example const configs = createSettings(memoryConfigs, { db, clock }); await configs.get(caller, identityId); */
export function createSettings<Fields extends object>(
  { noun, defaults, spec }: SettingsOf<Fields>,
  { db, clock, told }: Deps<Fields>,
): Settings<Fields> {
  const of = perTenant(db.collection(spec as unknown as CollectionSpec<Owned>));
  const current = (doc: Owned | null): Current<Fields> => {
    const { _id, tenantId, ...set } = doc ?? { _id: 0, tenantId: 0, updatedAt: null };
    return { ...defaults, ...set } as Current<Fields>;
  };
  const tell = async (how: Change<unknown>['how'], by: By, doc: Owned, before: Owned | null) => {
    noteWrite(by, { kind: noun, how, doc, before });
    await told?.({ how, by, doc: doc as SettingsDoc<Fields>, before: before as SettingsDoc<Fields> | null });
  };
  return {
    get: async ({ tenantId }, ownerId) => current(await of(tenantId).findOne({ _id: ownerId })),
    replace: async (by, ownerId, fields) => {
      const collection = of(by.tenantId);
      const before = await collection.findOne({ _id: ownerId });
      const doc: Owned = {
        ...defaults,
        ...fields,
        _id: ownerId,
        tenantId: by.tenantId,
        updatedAt: new Date(clock.now()),
      };
      await collection.replaceOne({ _id: ownerId }, doc, { upsert: true });
      await tell(before ? 'changed' : 'created', by, doc, before);
      return current(doc);
    },
    remove: async (by, ownerId) => {
      const before = await of(by.tenantId).findOneAndDelete({ _id: ownerId });
      if (before) await tell('removed', by, before, before);
    },
  };
}
